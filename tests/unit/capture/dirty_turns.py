"""The dirty corpus: turns as they really arrive, with what must become memory and what must not."""

from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.values import Origin, Trigger
from tests.unit.capture.dirty_shapes import NOBODY_SAID, SHAPES


@dataclass(frozen=True, slots=True, kw_only=True)
class DirtyTurn:
    """A turn.

    Attributes:
        item: Which item of hygiene, or which public report, it is a case of.
        user, assistant: Both sides as the gateway sends them.
        facts: Words that one memory must hold, each with who said it.
        junk: Words that no memory may hold.
        tools: Name and output summary of tools the assistant used.
    """

    item: str
    user: str
    assistant: str = "Good, I will keep an eye on it."
    facts: tuple[tuple[Origin, str], ...] = ()
    junk: tuple[str, ...] = ()
    trigger: Trigger = Trigger.USER
    tools: tuple[tuple[str, str], ...] = ()


# What was said, and the part of it that must be found again.
_SAID: tuple[tuple[str, str], ...] = (
    ("My sister Marta moved to Porto in March.", "sister Marta moved to Porto"),
    ("I am allergic to walnuts and to cats.", "allergic to walnuts"),
    ("We decided to sail in August instead of June.", "We decided to sail in August"),
    ("Remind me to renew the boat insurance by Friday.", "renew the boat insurance by Friday"),
    ("Ich arbeite seit zwei Jahren bei Kestrel Optik in Jena.", "bei Kestrel Optik in Jena"),
    ("Meine Tochter Lotte hat am 3. Juni Geburtstag.", "Tochter Lotte hat am 3. Juni"),
    ("Prefiero el té verde sin azúcar.", "Prefiero el té verde"),
    ("Mi hermano Iker vive en Bilbao desde 2019.", "hermano Iker vive en Bilbao"),
    ("J'habite rue des Tilleuls à Lyon avec mon frère Luc.", "rue des Tilleuls à Lyon"),
    ("我上周搬到了里斯本。", "搬到了里斯本"),
    ("The workshop door code is on the fridge, ask Bo.", "door code is on the fridge"),
    ("No, the rehearsal is on Thursday at 19:30.", "rehearsal is on Thursday"),
)
_USER, _ASSISTANT = Origin.USER, Origin.ASSISTANT


def dirty_turns() -> tuple[DirtyTurn, ...]:
    """All turns; each shape around two different things said."""
    return (
        *_wrapped(),
        *(DirtyTurn(item=item, user=text, junk=("falcon", "FALCON", text)) for item, text in NOBODY_SAID),
        *_BY_HAND,
    )


def _wrapped() -> Iterator[DirtyTurn]:
    for number, shape in enumerate(SHAPES):
        for said, kept in (_SAID[number % len(_SAID)], _SAID[(number + 5) % len(_SAID)]):
            yield DirtyTurn(
                item=shape.item, user=shape.text.replace("<said>", said), facts=((_USER, kept),), junk=shape.junk
            )


_KEY = "s" + "k-pro" + "j-" + "aB3dE5fG7hJ9kL1m" * 4
_HUB = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"
_BY_HAND: tuple[DirtyTurn, ...] = (
    # Secrets and personal data are masked, the rest is kept (mem0 PR#4552, claude-supermemory#122, openclaw#12182).
    DirtyTurn(
        item="secret",
        user=f"The staging key is {_KEY} and the box stands in Frankfurt.",
        facts=((_USER, "the box stands in Frankfurt"),),
        junk=(_KEY[:24],),
    ),
    DirtyTurn(
        item="secret",
        user="I put export KRANICH=Nebel-4711 into the profile of the build machine.",
        facts=((_USER, "profile of the build machine"),),
        junk=("Nebel-4711",),
    ),
    DirtyTurn(
        item="secret",
        user=f"git clone https://ana:{_HUB}@git.example.org/site.git is how Bo deploys our site.",
        facts=((_USER, "how Bo deploys our site"),),
        junk=(_HUB[:20],),
    ),
    DirtyTurn(
        item="secret",
        user="Our wifi is called Fjord, the password is Hering!2024, guests may use it.",
        facts=((_USER, "wifi is called Fjord"),),
        junk=("Hering!2024",),
    ),
    DirtyTurn(
        item="secret",
        user="Das Passwort vom NAS ist Sturm-8812, es steht im Keller.",
        facts=((_USER, "steht im Keller"),),
        junk=("Sturm-8812",),
    ),
    DirtyTurn(
        item="personal data",
        user="Marta's new number is +49 170 1234567 and she works nights.",
        facts=((_USER, "she works nights"),),
        junk=("1234567",),
    ),
    DirtyTurn(
        item="personal data",
        user="Write to marta@example.org, she organises the choir trip to Ghent.",
        facts=((_USER, "organises the choir trip to Ghent"),),
        junk=("marta@example.org",),
    ),
    DirtyTurn(
        item="personal data",
        user="I paid the ferry with 4111 1111 1111 1111, it was 84 EUR.",
        facts=((_USER, "it was 84 EUR"),),
        junk=("4111 1111",),
    ),
    DirtyTurn(
        item="secret",
        user="What did you find in the env?",
        assistant=f"The env holds OPENAI_API_KEY={_KEY}. The service listens on port 8085 of Hornet.",
        facts=((_ASSISTANT, "port 8085 of Hornet"),),
        junk=(_KEY[:24],),
    ),
    # Tool output and reasoning in the answer.
    DirtyTurn(
        item="tool",
        user="Which flight is cheapest?",
        assistant="<think>falcon plan</think>\nTAP 1024 is the cheapest at 89 EUR.",
        facts=((_ASSISTANT, "TAP 1024"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="tool",
        user="Is the disk full?",
        assistant='[Tool Call: exec (id 1)]\n{"command": "df falcon"}\nThe disk of Hornet is 91 % full.',
        facts=((_ASSISTANT, "91 % full"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="tool",
        user="Run the tests please",
        assistant="<tool_result>falcon 412 passed</tool_result>\nAll 412 tests of the parser pass.",
        facts=((_ASSISTANT, "412 tests of the parser pass"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="tool",
        user="Check the weather in Faro",
        assistant="It stays dry in Faro until Sunday.",
        tools=(("web_fetch", "falcon html body"), ("exec", "total 48 drwxr falcon")),
        facts=((_ASSISTANT, "dry in Faro"),),
        junk=("html body", "drwxr"),
    ),
    DirtyTurn(
        item="tool",
        user="Read the log of Hornet",
        assistant="The backup of Hornet failed at 03:12 because the disk was full.",
        tools=(("exec", f"export TOKEN={_HUB}"),),
        facts=((_ASSISTANT, "backup of Hornet failed at 03:12"),),
        junk=(_HUB[:20], "export TOKEN"),
    ),
    # Failed turns: the gateway reports success after a provider error.
    DirtyTurn(
        item="failed",
        user="My locker at the pool is number 88.",
        assistant="⚠️ Agent failed before reply: falcon 429",
        junk=("falcon", "429"),
    ),
    DirtyTurn(
        item="failed",
        user="My locker at the gym is number 12.",
        assistant="LLM request failed: falcon overloaded",
        junk=("falcon", "overloaded"),
    ),
    DirtyTurn(item="failed", user="Try the falcon again", assistant="HTTP 503 falcon unavailable", junk=("falcon",)),
    DirtyTurn(
        item="failed",
        user="And the falcon now?",
        assistant="⚠️ Context overflow: prompt too large for the falcon.",
        junk=("falcon",),
    ),
    *(
        DirtyTurn(item="failed", user="My falcon is called Kes.", assistant=notice, junk=("falcon", "Kes", notice))
        for notice in (
            "⚠️ I couldn't reach the model: 429 rate limit",
            "Error: 529 overloaded_error",
            "An error occurred while processing your request.",
            "Sorry, the AI service is temporarily unavailable.",
            "The model is overloaded. Please try again later.",
            "API rate limit reached. Please try again later.",
            "401 Incorrect API key provided",
            "terminated",
        )
    ),
    # Half turns, silent answers.
    DirtyTurn(item="half", user="The falcon question", assistant="", junk=("falcon",)),
    DirtyTurn(item="half", user="", assistant="The falcon answer", junk=("falcon",)),
    DirtyTurn(item="half", user="Note the falcon", assistant="NO_REPLY", junk=("falcon", "NO_REPLY")),
    DirtyTurn(item="half", user="   \n ", assistant="The falcon is fed.", junk=("falcon",)),
    # Turns that no person started.
    DirtyTurn(item="heartbeat", user="All quiet with the falcon?", trigger=Trigger.HEARTBEAT, junk=("falcon",)),
    DirtyTurn(item="cron", user="Daily falcon report", trigger=Trigger.CRON, junk=("falcon",)),
    DirtyTurn(item="boot", user="Boot the falcon", trigger=Trigger.BOOT, junk=("falcon",)),
    DirtyTurn(item="subagent", user="Research the falcon", trigger=Trigger.SUBAGENT, junk=("falcon",)),
    DirtyTurn(item="memory", user="Flush the falcon memories", trigger=Trigger.MEMORY, junk=("falcon",)),
    # Guesses and echoes of the assistant never become facts of the user (mem0#4573: a hallucination stored 668 times).
    DirtyTurn(
        item="guess",
        user="I bought a kayak from Bo.",
        assistant="Maybe you like falcons too? You might enjoy falconry.",
        facts=((_USER, "bought a kayak from Bo"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="guess",
        user="I work from home on Mondays.",
        assistant="It sounds like you are a falcon keeper.",
        facts=((_USER, "work from home on Mondays"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="guess",
        user="Ich jogge jeden Dienstag am Neckar.",
        assistant="Vielleicht magst du auch Falken, du bist wohl ein falcon Typ.",
        facts=((_USER, "jogge jeden Dienstag am Neckar"),),
        junk=("falcon",),
    ),
    DirtyTurn(
        item="echo",
        user="My dentist is Doctor Okafor on Mill Street.",
        assistant="Got it! Your dentist is Doctor Okafor on Mill Street.",
        facts=((_USER, "dentist is Doctor Okafor"),),
        junk=("Got it", "Your dentist"),
    ),
    DirtyTurn(
        item="echo",
        user="I have two rabbits, Flip and Flop.",
        assistant="You have two rabbits called Flip and Flop, noted. Feel free to tell me more!",
        facts=((_USER, "two rabbits, Flip and Flop"),),
        junk=("Feel free", "noted"),
    ),
    DirtyTurn(
        item="echo",
        user="Vivo en Cádiz con mi abuela.",
        assistant="¡Claro! Vives en Cádiz con tu abuela.",
        facts=((_USER, "Vivo en Cádiz con mi abuela"),),
        junk=("Vives",),
    ),
    # Clean statements, not half sentences; greetings and noise go (openclaw#89444, #142393).
    DirtyTurn(
        item="noise",
        user="Hey! Good morning! How are you? I planted 12 tulips in the yard. Thanks, bye!",
        assistant="Good morning! Happy to help!",
        facts=((_USER, "I planted 12 tulips in the yard."),),
        junk=("Good morning", "How are you", "bye", "Happy"),
    ),
    DirtyTurn(item="noise", user="ok", assistant="Great! Let me know if you need anything else.", junk=("ok", "Great")),
    DirtyTurn(item="noise", user="lol haha 👍", assistant="😄", junk=("lol", "haha")),
    DirtyTurn(
        item="noise",
        user="Tell me a joke about falcons",
        assistant="Why did the bird cross? I can tell more!",
        junk=("falcons", "I can tell"),
    ),
    DirtyTurn(
        item="noise",
        user="Test message. Round 3.",
        assistant="Received test message, round 3.",
        junk=("Round 3", "round 3"),
    ),
    DirtyTurn(
        item="noise",
        user="This is message number 17 of the test.",
        assistant="Message 17 received.",
        junk=("number 17", "17 received"),
    ),
    DirtyTurn(item="noise", user="ping 42", assistant="pong 42", junk=("ping 42", "pong 42")),
    DirtyTurn(item="noise", user="Say ok. Turn 12.", assistant="ok", junk=("Turn 12",)),
    DirtyTurn(item="noise", user="asdf asdf jkl", assistant="?", junk=("asdf",)),
    # Languages and names stay (mem0#3707, hindsight#181); dates hold on to the message's own time (mem0#4963).
    DirtyTurn(
        item="language",
        user="Nächsten Freitag fliegt Jörg nach Kraków.",
        facts=((_USER, "Jörg nach Kraków"),),
        junk=("Next Friday", "George"),
    ),
    DirtyTurn(
        item="language",
        user="我妹妹小雨喜欢喝乌龙茶。",
        facts=((_USER, "小雨喜欢喝乌龙茶"),),
        junk=("Xiaoyu", "oolong"),
    ),
    DirtyTurn(
        item="language", user="私の猫の名前はモモです。", facts=((_USER, "猫の名前はモモ"),), junk=("Momo", "cat")
    ),
    DirtyTurn(
        item="date", user="We met Bo yesterday at the harbour.", facts=((_USER, "yesterday (3 September 2026)"),)
    ),
    DirtyTurn(
        item="date", user="Some day I will see the fjords.", facts=((_USER, "see the fjords"),), junk=("2026", "2023")
    ),
    DirtyTurn(
        item="answer", user="Yes, since 2021.", assistant="Good to know, thank you.", facts=((_USER, "since 2021"),)
    ),
)
