import time
from datetime import UTC, datetime

import pytest

from memory_core.capture.statements import AS_SAID, LIMIT_CHARS, RULES, Candidate, Utterance, extract
from memory_core.values import MemoryKind, Origin

# 10 May 2023 was a Wednesday.
SAID_AT = datetime(2023, 5, 10, 10, 0, tzinfo=UTC)
ENOUGH_A_SECOND = 200


def said(
    text: str,
    *,
    previous: str | None = None,
    role: Origin = Origin.USER,
    tz: str = "Europe/Berlin",
    shared: bool = False,
) -> list[Candidate]:
    utterance = Utterance(
        role=role, speaker="Ana", text=text, said_at=SAID_AT, timezone=tz, previous_text=previous, shared=shared
    )
    return extract(utterance)


def texts(text: str, *, previous: str | None = None, role: Origin = Origin.USER) -> list[str]:
    return [candidate.text for candidate in said(text, previous=previous, role=role)]


@pytest.mark.parametrize(
    "noise",
    [
        *("", "Hi!", "ok", "👍", "yes", "lol haha", "continue", "...", "Thanks a lot!", "Good night!", "hello??"),
        *("Hey Mel! Good to see you! How have you been?", "That's awesome, Caroline!", "Bye, take care!"),
        *("Sounds great, thank you so much!", "What's the capital of Portugal?", "How does that work?"),
        *("Can you find a flight to Porto?", "tell me a joke", "please fix the bug in the login page"),
        *("Danke schön!", "Guten Morgen! Wie geht's?", "Merci beaucoup !", "¡Hola! ¿Qué tal?"),
        *("谢谢！", "你好", "こんにちは！", "[attached: IMG_1.jpg]", "a" * 900, "=--=-" * 20),
    ],
)
def test_noise_yields_nothing(noise: str) -> None:
    assert texts(noise) == []


@pytest.mark.parametrize(
    ("text", "kind", "kept"),
    [
        ("I moved to Lisbon last week.", MemoryKind.EVENT, "I moved to Lisbon last week (1-7 May 2023)."),
        ("I'm vegetarian", MemoryKind.PREFERENCE, "I'm vegetarian"),
        ("My favourite tea is sencha", MemoryKind.PREFERENCE, "My favourite tea is sencha"),
        ("No, it's Thursday.", MemoryKind.CORRECTION, "No, it's Thursday (11 May 2023)."),
        ("Actually the meeting is in room 4", MemoryKind.CORRECTION, "Actually the meeting is in room 4"),
        ("We decided to drop Redis for Postgres", MemoryKind.DECISION, "We decided to drop Redis for Postgres"),
        ("Remind me to call Bo tomorrow", MemoryKind.ACTION_ITEM, "Remind me to call Bo tomorrow (11 May 2023)"),
        ("I need to renew my passport", MemoryKind.ACTION_ITEM, "I need to renew my passport"),
        ("My sister is called Ines", MemoryKind.ENTITY, "My sister is called Ines"),
        ("The door of the shed sticks when it rains", MemoryKind.FACT, "The door of the shed sticks when it rains"),
        ("Ich trinke am liebsten Tee", MemoryKind.PREFERENCE, "Ich trinke am liebsten Tee"),
        ("Wir haben uns gestern getroffen", MemoryKind.EVENT, "Wir haben uns gestern (9. Mai 2023) getroffen"),
        ("J'ai déménagé à Lyon hier", MemoryKind.EVENT, "J'ai déménagé à Lyon hier (9 mai 2023)"),
        ("Me gusta el café", MemoryKind.PREFERENCE, "Me gusta el café"),
        ("我喜欢喝茶。", MemoryKind.PREFERENCE, "我喜欢喝茶。"),
        ("我上周搬到了里斯本。", MemoryKind.EVENT, "我上周（2023年5月1-7日）搬到了里斯本。"),
    ],
)
def test_a_statement_keeps_its_words_and_gets_a_kind(text: str, *, kind: MemoryKind, kept: str) -> None:
    (candidate,) = said(text)
    assert (candidate.text, candidate.kind) == (kept, kind)
    assert (candidate.speaker, candidate.origin, candidate.position) == ("Ana", Origin.USER, 0)


def test_greetings_go_and_the_rest_of_the_utterance_stays_together() -> None:
    text = "Hey Mel! Good to see you! I went to a choir yesterday and it was powerful. We sang four songs. Bye!"
    assert texts(text) == ["I went to a choir yesterday (9 May 2023) and it was powerful. We sang four songs."]


def test_a_picture_is_what_was_said_too() -> None:
    assert texts("Wow! [shares image: a photo of a lake at dawn]") == ["[shares image: a photo of a lake at dawn]"]
    assert texts("My boat. [shares image: a boat. It is red]") == ["My boat. [shares image: a boat. It is red]"]


def test_a_short_answer_carries_its_question() -> None:
    assert texts("Yes, in Lisbon.", previous="Hi! Do you still live in Portugal?") == [
        "Do you still live in Portugal? — Yes, in Lisbon."
    ]
    assert texts("Blue", previous="What's your favourite colour?") == ["What's your favourite colour? — Blue"]


def test_a_bare_yes_is_kept_only_where_the_question_holds_a_fact() -> None:
    assert texts("Yes.", previous="Do you have a dog?") == ["Do you have a dog? — Yes."]
    assert texts("Yes.", previous="Should I book the flight?") == []
    assert texts("Yes.", previous="How are you?") == []
    assert texts("Thanks!", previous="Do you have a dog?") == []


def test_a_long_answer_stands_by_itself() -> None:
    answer = "I have lived in the old town of Lisbon for about three years together with my brother Rui and two cats."
    assert texts(answer, previous="Where do you live?") == [answer]


def test_the_event_is_the_time_named_in_the_zone_of_the_speaker() -> None:
    (candidate,) = said("We met Bo yesterday", tz="America/New_York")
    assert candidate.event_at == datetime(2023, 5, 9, 4, tzinfo=UTC)
    assert candidate.event_until == datetime(2023, 5, 10, 4, tzinfo=UTC)


def test_what_names_no_time_has_none() -> None:
    (candidate,) = said("Some day I will see Japan")
    assert candidate.event_at is None
    assert candidate.event_until is None


def test_an_exact_time_goes_before_a_vague_one() -> None:
    (candidate,) = said("A few weeks ago Bo called, and on May 7 we met")
    assert candidate.event_at == datetime(2023, 5, 6, 22, tzinfo=UTC)


def test_questions_among_people_tell_and_questions_to_an_assistant_ask() -> None:
    question = "Are you going to invite your tournament friends?"
    assert [candidate.text for candidate in said(question, shared=True)] == [question]
    assert said(question) == []


def test_questions_that_tell_or_oblige_are_kept() -> None:
    assert texts("Did I tell you that I got a dog named Rex?") == ["Did I tell you that I got a dog named Rex?"]
    (candidate,) = said("Could you remind me to water the plants on Friday?")
    assert candidate.kind is MemoryKind.ACTION_ITEM


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        ("I moved to Lisbon last week.", "Sure! You moved to Lisbon last week."),
        ("I moved to Lisbon last week.", "I've noted that you moved to Lisbon. Let me know if you need anything!"),
        ("I work a lot", "Maybe you like jazz after work."),
        ("My dog is Rex", "It sounds like you love animals."),
        ("Find me a flight", "Would you like me to book it? I can also compare hotels."),
        ("hi", "Hello Ana! How can I help you today?"),
        ("I am allergic to nuts", "So you are allergic to nuts."),
        ("hm", "Happy to help! Feel free to ask."),
    ],
)
def test_manners_guesses_and_echoes_of_the_assistant_yield_nothing(user: str, assistant: str) -> None:
    assert texts(assistant, previous=user, role=Origin.ASSISTANT) == []


def test_results_of_the_assistant_stay_the_assistants() -> None:
    text = "The cheapest flight is TAP 1234 for 89 EUR. Would you like me to book it?"
    (candidate,) = said(text, previous="Find me a flight", role=Origin.ASSISTANT)
    assert candidate.text == "The cheapest flight is TAP 1234 for 89 EUR."
    assert candidate.origin is Origin.ASSISTANT


def test_code_becomes_a_mention() -> None:
    text = "Here it is:\n```python\ndef fetch(url):\n    return url\n\nclass Cache:\n    pass\n```\nIt retries 3 times."
    assert texts(text, previous="write it", role=Origin.ASSISTANT) == [
        "[code, python, 4 lines: fetch, Cache] It retries 3 times."
    ]


def test_lists_lose_their_signs_and_marks() -> None:
    text = "## Plan\n1. **Porto**: two nights at Casa Azul\n2. **Braga**: one night\n- Budget: 400 EUR"
    assert texts(text, previous="plan my trip", role=Origin.ASSISTANT) == [
        "Porto: two nights at Casa Azul; Braga: one night; Budget: 400 EUR"
    ]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"On day {n} we walked {n} miles to village number {n}." for n in range(200)),
        "I said that " + "and then we went on to the next town " * 60,
        "我今天走了很远的路，" * 400,
        "\n".join(f"- item {n}: costs {n} EUR yesterday" for n in range(300)),
        "Tomorrow " * 200,
    ],
)
@pytest.mark.parametrize("role", [Origin.USER, Origin.ASSISTANT])
def test_every_memory_stays_within_the_limit_and_their_number_is_bounded(text: str, role: Origin) -> None:
    candidates = said(text, role=role, previous="How far is it to Rome?")
    assert all(0 < len(candidate.text) <= LIMIT_CHARS for candidate in candidates)
    assert len(candidates) <= 16
    assert [candidate.position for candidate in candidates] == list(range(len(candidates)))


def test_a_sentence_said_twice_is_kept_once() -> None:
    assert texts("I work as a nurse. " * 30) == ["I work as a nurse."]


@pytest.mark.parametrize(
    ("said_at", "tz"),
    [(SAID_AT, "Mars/Olympus_Mons"), (SAID_AT, ""), (datetime.min.replace(tzinfo=UTC), "Europe/Berlin")],
)
def test_an_utterance_that_no_rule_can_read_is_kept_as_it_was_said(said_at: datetime, tz: str) -> None:
    text = "We met Bo yesterday,  last week and last year in Porto"
    utterance = Utterance(role=Origin.USER, speaker="Ana", text=text, said_at=said_at, timezone=tz)
    (candidate,) = extract(utterance)
    assert (candidate.text, candidate.made_by) == (" ".join(text.split()), AS_SAID)
    assert (candidate.event_at, candidate.speaker) == (None, "Ana")


def test_what_the_rules_made_says_so() -> None:
    assert [candidate.made_by for candidate in said("We met Bo yesterday")] == [RULES]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How can I help you today?", "I bought a kayak"),
        ("Hi! What's up?", "Not much, I bought a kayak"),
        ("Was kann ich für dich tun?", "Ich habe ein Kajak gekauft"),
        ("¿En qué puedo ayudarte?", "Compré un kayak rojo"),
    ],
)
def test_what_follows_a_greeting_is_no_answer_to_it(question: str, *, answer: str) -> None:
    assert texts(answer, previous=question) == [answer]


def test_a_guess_that_is_only_denied_or_waved_through_is_no_fact() -> None:
    assert texts("no", previous="Maybe you'd like wallpaper instead?") == []
    assert texts("ja", previous="Vielleicht magst du Jazz?") == []


@pytest.mark.parametrize(
    "probe",
    ["Round 3.", "Test message 17", "ping 42", "Message number 5 received.", "Testnachricht 4", "asdf jkl", "foo bar"],
)
def test_what_only_tries_out_the_line_yields_nothing(probe: str) -> None:
    assert texts(probe) == []


@pytest.mark.parametrize("fact", ["My turn is at 5", "The test is on Monday in room 3", "We won in round 3 of the cup"])
def test_figures_of_rounds_and_tests_that_tell_something_stay(fact: str) -> None:
    assert texts(fact) != []


def test_initials_stay_with_their_name() -> None:
    (kept,) = texts("Good morning! J.K. Rowling signed my copy. Bye!")
    assert kept == "J.K. Rowling signed my copy."


def test_an_appointment_among_people_is_kept() -> None:
    (candidate,) = said("Alright, see you tomorrow!", shared=True)
    assert candidate.text == "Alright, see you tomorrow (11 May 2023)!"
    assert said("Alright, see you tomorrow!") == []


def test_what_the_assistant_remembers_of_the_user_is_no_new_memory() -> None:
    assert texts("You teach in Yokohama.", previous="Where do I teach?", role=Origin.ASSISTANT) == []


@pytest.mark.parametrize("remark", ["A good size.", "Das passt ja gerade so.", "Makes sense.", "¡Qué bien!"])
def test_remarks_of_the_assistant_yield_nothing(remark: str) -> None:
    assert texts(remark, previous="It has 14 seats.", role=Origin.ASSISTANT) == []


def test_a_table_is_kept_row_by_row() -> None:
    text = "The shed costs:\n| item | price |\n|---|---|\n| boards | 240 EUR |\n| felt | 65 EUR |"
    (kept,) = texts(text, previous="what does it cost?", role=Origin.ASSISTANT)
    assert "boards: 240 EUR; felt: 65 EUR" in kept
    assert "|" not in kept


def test_of_what_a_terminal_printed_only_the_words_around_it_are_kept() -> None:
    text = (
        "$ ls -la\ntotal 48\ndrwxr-xr-x 2 ana ana 4096 Nov 30 20:41 .\n-rw-r--r-- 1 ana ana 11 Nov 30 20:37 LICENSE\n"
        'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n'
        "2026-11-30 20:41:00,123 worker-1 ERROR lost\nThe licence of our parser is MIT."
    )
    assert texts(text) == ["The licence of our parser is MIT."]


def test_prices_and_hashes_are_no_prompts() -> None:
    assert texts("$ 40 is what the boat costs") == ["$ 40 is what the boat costs"]
    assert texts("#7 is the bus I take to Porto") == ["#7 is the bus I take to Porto"]


def test_placeholders_stay() -> None:
    text = "My mail is [email 1] and my key is [api key 1]."
    assert texts(text) == [text]


def test_two_hundred_utterances_take_less_than_a_second() -> None:
    text = "Hey Mel! I went to the library yesterday with Bo, and next Friday we go again. It costs 3 EUR. And you?"
    begin = time.process_time()
    for _ in range(ENOUGH_A_SECOND):
        said(text, previous="What did you do?")
    assert time.process_time() - begin < 1.0
