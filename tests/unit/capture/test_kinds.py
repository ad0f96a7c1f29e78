from typing import cast

import pytest

from memory_core.capture.kinds import Dated, kind_of
from memory_core.values import MemoryKind
from tests.quality.labelled_turns import conversations
from tests.quality.measure_extraction import measure_extraction

KEPT_FLOOR, KIND_FLOOR, JUNK_CEILING = 0.97, 0.85, 0.1
TURNS_FLOOR = 200


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("No, it's in room 4", MemoryKind.CORRECTION),
        ("The train leaves at 7:15, not at 7:05", MemoryKind.CORRECTION),
        ("Der Zug fährt um 7:15, nicht um 7:05", MemoryKind.CORRECTION),
        ("El seguro vence el jueves, no el viernes", MemoryKind.CORRECTION),
        ("We decided to drop Redis", MemoryKind.DECISION),
        ("We'll paint the shed red, not green", MemoryKind.DECISION),
        ("Es bleibt bei 25 Gästen", MemoryKind.DECISION),
        ("Hemos decidido cerrar los lunes", MemoryKind.DECISION),
        ("I still need to call the plumber", MemoryKind.ACTION_ITEM),
        ("Ich muss noch den Strom ummelden", MemoryKind.ACTION_ITEM),
        ("Tengo que pagar el alquiler", MemoryKind.ACTION_ITEM),
        ("I can't stand fresh paint", MemoryKind.PREFERENCE),
        ("Ich esse kein Fleisch", MemoryKind.PREFERENCE),
        ("Odio conducir de noche", MemoryKind.PREFERENCE),
        ("My flatmate Ines knows football", MemoryKind.ENTITY),
        ("Unser Hund heißt Strudel", MemoryKind.ENTITY),
        ("Mi mecánico se llama Ramiro", MemoryKind.ENTITY),
        ("my flatmate knows football", MemoryKind.FACT),
        ("Mein Hobby ist Schach", MemoryKind.FACT),
        ("The flat has two rooms", MemoryKind.FACT),
        ("No thanks, the flat has two rooms", MemoryKind.FACT),
    ],
)
def test_words_give_the_kind_away(statement: str, kind: MemoryKind) -> None:
    assert kind_of(statement, dated=Dated.NO) is kind


@pytest.mark.parametrize(
    ("statement", "dated", "kind"),
    [
        ("The gig is at the Rusty Nail", Dated.EXACTLY, MemoryKind.EVENT),
        ("We moved here", Dated.ROUGHLY, MemoryKind.EVENT),
        ("The third edition came out", Dated.ROUGHLY, MemoryKind.FACT),
        ("I prefer to meet there", Dated.EXACTLY, MemoryKind.PREFERENCE),
        ("We met in Porto instead of Braga", Dated.EXACTLY, MemoryKind.EVENT),
    ],
)
def test_a_date_makes_an_event_of_what_says_nothing_else(statement: str, *, dated: Dated, kind: MemoryKind) -> None:
    assert kind_of(statement, dated=dated) is kind


@pytest.mark.parametrize("part", ["tuned", "heldOut"])
def test_the_labelled_conversations_keep_their_floors(part: str) -> None:
    figures = cast("dict[str, float]", measure_extraction()[part])
    assert figures["kept"] >= KEPT_FLOOR
    assert figures["kindRight"] >= KIND_FLOOR
    assert figures["junk"] / figures["memories"] <= JUNK_CEILING


def test_the_labelled_set_is_large_and_mixed() -> None:
    found = conversations()
    assert sum(len(one.turns) for one in found) >= TURNS_FLOOR
    assert len({turn.speaker for one in found for turn in one.turns}) >= 10
    assert {kind for one in found for turn in one.turns for kind, _ in turn.expected} >= {
        *(MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.DECISION, MemoryKind.CORRECTION),
        *(MemoryKind.ACTION_ITEM, MemoryKind.EVENT, MemoryKind.ENTITY),
    }
