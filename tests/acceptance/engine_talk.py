"""Long conversations for the tests of the context engine, needles in them, and how to look at what came of both."""

from collections.abc import Mapping

from tests.acceptance.live import OWNER, PLUGIN, Live
from tests.rig.model_steps import Body, Step, texts

TOPICS = ("clouds", "coffee", "trams", "cheese", "maps", "winter", "violins", "paper", "tides", "gardens", "bridges")

Needles = Mapping[str, tuple[str, str]]
"""What is said once and never repeated by the model, with a question and the value that answers it."""

NEEDLES: Needles = {
    "The spare key of the dome hangs behind the barometer in hut 7.": (
        "Where does the spare key of the dome hang?",
        "hut 7",
    ),
    "The staging database listens on port 48213.": ("On which port does the staging database listen?", "48213"),
    "The serial number of the new camera is QX-90417.": ("What is the serial number of the new camera?", "QX-90417"),
    "Our guide on the volcano was called Ingibjörg.": ("What was our guide on the volcano called?", "Ingibjörg"),
    "The invoice for the mirror is due on the 19th of March.": (
        "When is the invoice for the mirror due?",
        "19th of March",
    ),
    "The config of the shutter lies in /etc/dome/shutter-v2.toml.": (
        "Where does the config of the shutter lie?",
        "shutter-v2",
    ),
    "My locker at the climbing hall has the code 5518.": (
        "Which code does my locker at the climbing hall have?",
        "5518",
    ),
}
MORE_NEEDLES: Needles = {
    "The attic window of the mill is opened with the brass crank in drawer 12.": (
        "Where is the brass crank for the attic window of the mill?",
        "drawer 12",
    ),
    "The metrics collector uses port 39671.": ("Which port does the metrics collector use?", "39671"),
    "The licence plate of the delivery van is LM-55208.": (
        "What is the licence plate of the delivery van?",
        "LM-55208",
    ),
    "The skipper who took us across the fjord was Sigbjørn.": ("Who took us across the fjord?", "Sigbjørn"),
    "The rent of the workshop must be paid by the 27th of April.": (
        "By when must the rent of the workshop be paid?",
        "27th of April",
    ),
    "The greenhouse reads its settings from /srv/plants/vents-v5.yaml.": (
        "From which file does the greenhouse read its settings?",
        "vents-v5",
    ),
    "The combination of my bicycle lock is 8046.": ("What is the combination of my bicycle lock?", "8046"),
}


def talk(
    live: Live, session: str, *, exchanges: int, needles: Mapping[int, str] | None = None, sentences: int = 12
) -> None:
    """Say so much that there is something to compact.

    Args:
        live: The gateway.
        session: Key of the conversation.
        exchanges: How often something is said.
        needles: What is said instead, by the exchange's number.
        sentences: Length of each answer; one takes about 14 tokens.
    """
    for number in range(exchanges):
        topic = TOPICS[number % len(TOPICS)]
        words = f"people have always liked {topic}, one way or another. " * sentences
        # In large pieces: what streaming costs the gateway is no part of these tests.
        live.model.push(Step(text=f"Thought {number} about {topic}: {words}", chunk_chars=400))
        said = (needles or {}).get(number, f"Tell me thought number {number} about {topic}.")
        live.gateway.operator_turn(said, session=session)


def plugin_config(changes: Mapping[str, object]) -> dict[str, object]:
    """Changes of the plugin's configuration as `Gateway.reconfigure` wants them."""
    return {"plugins": {"entries": {PLUGIN: {"config": dict(changes)}}}}


def before(body: Body, question: str) -> str:
    """What a request shows of the conversation before the turn; its first message is the system prompt."""
    said = texts(body)
    place = max(number for number, (role, text) in enumerate(said) if role == "user" and question in text)
    return "\n".join(text for _, text in said[1:place])


def counts(live: Live, word: str) -> list[int]:
    """How often each memory of the owner that holds a word was told."""
    listed = live.post("/v1/tools/memory_list", {"session": OWNER, "arguments": {"limit": 200}})["details"]["memories"]
    return [memory["count"] for memory in listed if word in memory["text"]]


def complaints(live: Live) -> list[str]:
    """Lines of the gateway that say that the engine failed."""
    words = ("degraded", "quarantin", "context assemble failed", "context commit failed", "context compact failed")
    return [line for line in live.gateway.output().splitlines() if any(word in line for word in words)]
