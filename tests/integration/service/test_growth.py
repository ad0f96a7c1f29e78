"""What goes into memory and out of it is bounded, however much is said: no wall of text, no half sentence."""

from typing import Any

from tests.integration.service.server import ANA, Service

LONGEST_MEMORY_CHARS = 400
LONGEST_BLOCK_CHARS = 4_000
LONGEST_UTTERANCE_CHARS = 32_000
SENTENCE = "On shelf {0} of the seed bank I keep {1} jars of the wild rye that we picked near the old mill. "
NUMBERS = ("three", "seven", "nine", "twelve")


def wall(chars: int) -> str:
    """So many characters of statements, each about another shelf."""
    said = ""
    number = 0
    while len(said) < chars:
        said += SENTENCE.format(number, NUMBERS[number % len(NUMBERS)])
        number += 1
    return said


def listed(service: Service) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        further: dict[str, Any] = {"cursor": cursor} if cursor else {}
        page = service.tool("memory_list", limit=200, **further)["details"]
        memories += page["memories"]
        cursor = page.get("nextCursor")
        if cursor is None:
            return memories


def test_a_wall_of_text_becomes_whole_sentences_of_bounded_length(service: Service) -> None:
    service.turn(wall(60_000), key="wall")
    service.world.consolidate()
    texts = [memory["text"] for memory in listed(service)]
    assert texts
    assert max(map(len, texts)) <= LONGEST_MEMORY_CHARS
    assert sum(map(len, texts)) <= LONGEST_UTTERANCE_CHARS
    # The last one may end where the utterance was cut; of the others each begins and ends with a sentence.
    halves = [text for text in texts if not (text.startswith("On shelf") and text.endswith("old mill."))]
    assert len(halves) <= 1


def test_a_turn_larger_than_a_body_is_refused_and_leaves_nothing(service: Service) -> None:
    body = {"session": dict(ANA), "turnKey": "huge", "user": {"text": "a" * 1_100_000}, "assistant": {"text": "No."}}
    service.error(service.client.post("/v1/turns", json=body), status=413, code="too_large")
    service.world.consolidate()
    assert listed(service) == []


def test_the_same_wall_day_after_day_adds_nothing(service: Service) -> None:
    sizes: list[int] = []
    for day in range(4):
        service.turn(wall(3_000), key=f"day-{day}")
        service.world.consolidate()
        service.world.clock.advance(hours=24)
        sizes.append(len(listed(service)))
    assert sizes[0] >= 3_000 // LONGEST_MEMORY_CHARS
    assert sizes == [sizes[0]] * 4


def test_the_block_keeps_to_its_size_however_much_is_known(service: Service) -> None:
    service.turn(wall(12_000), key="wall")
    service.world.consolidate()
    message = {"text": "Where do I keep the jars of wild rye in the seed bank?"}
    answer = service.post("/v1/recall", session=dict(ANA), message=message, topK=50, threshold=0, dedupe=False).json()
    assert len(answer["memories"]) > 1
    assert len(answer["context"]) <= LONGEST_BLOCK_CHARS


def test_what_the_assistant_supposes_is_no_evidence(service: Service) -> None:
    supposed = "You probably like rye bread, and I guess you live near the mill."
    for number in range(5):
        service.turn("What shall I bake on Sunday?", key=f"t{number}", assistant={"text": supposed})
    service.world.consolidate()
    assert not [memory for memory in listed(service) if "bread" in memory["text"] or "near the mill" in memory["text"]]
