"""Pure: which turns are shown to a chat model together, and what a statement about each may lean on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memory_core.capture.assistant_talk import is_filler
from memory_core.capture.chunking import sentences
from memory_core.capture.prompts import NumberedTurn
from memory_core.capture.sentence_value import is_question
from memory_core.capture.statement_guards import Heard, written_out
from memory_core.capture.statements import Utterance
from memory_core.dates.resolving import resolve
from memory_core.values import Origin

BATCH_TURNS, BATCH_CHARS = 24, 12_000
LONGEST_TURN_CHARS = 4000
"""A longer turn, a report or a listing, is read by the rules: they cut it; a model would be paid to read all of it."""
_CONTEXT_CHARS = 800


@dataclass(slots=True)
class Batch:
    """Turns of one session that are shown together.

    Attributes:
        shown: All of them, context included, in order.
        places: Number of each turn that is asked about to its place among the utterances.
        chars: Length of what is shown.
    """

    shown: list[NumberedTurn] = field(default_factory=list[NumberedTurn])
    places: dict[int, int] = field(default_factory=dict[int, int])
    chars: int = 0


def batches(utterances: Sequence[Utterance]) -> Iterator[Batch]:
    """Turns of one session that fit into one question; the first of each has the turn before it as context."""
    batch = Batch()
    for place, utterance in enumerate(utterances):
        mentions = resolve(utterance.text, utterance.said_at, tz=utterance.timezone)
        text = written_out(utterance.text, mentions)
        begins_session = utterance.previous_text is None
        if batch.shown and (begins_session or len(batch.shown) >= BATCH_TURNS or batch.chars + len(text) > BATCH_CHARS):
            yield batch
            batch = Batch()
        if not batch.shown and utterance.previous_text is not None:
            batch.shown.append(_before(utterance))
        is_asked = len(text) <= LONGEST_TURN_CHARS
        number = len(batch.places) + 1 if is_asked else 0
        shown = text if is_asked else f"{text[:_CONTEXT_CHARS]} […]"
        batch.shown.append(NumberedTurn(number=number, utterance=utterance, text=shown))
        batch.chars += len(shown)
        if is_asked:
            batch.places[number] = place
    if batch.places:
        yield batch


def _before(utterance: Utterance) -> NumberedTurn:
    """The turn before, of which only the words are known."""
    role = Origin.ASSISTANT if utterance.role is Origin.USER else Origin.USER
    text = (utterance.previous_text or "")[-_CONTEXT_CHARS:]
    before = Utterance(role=role, speaker=None, text=text, said_at=utterance.said_at, timezone=utterance.timezone)
    return NumberedTurn(number=0, utterance=before, text=text)


def heard_in(batch: Batch) -> dict[int, Heard]:
    """The turns that are asked about, by number, as statements are held against them."""
    around = {role: "\n".join(_leanable(turn, of=role) for turn in batch.shown) for role in Origin}
    mentions = {
        turn.number: tuple(resolve(turn.utterance.text, turn.utterance.said_at, tz=turn.utterance.timezone))
        for turn in batch.shown
        if turn.number
    }
    everything = tuple(mention for found in mentions.values() for mention in found)
    return {
        turn.number: Heard(
            utterance=turn.utterance,
            text=turn.text,
            mentions=mentions[turn.number],
            around=around[turn.utterance.role],
            around_mentions=everything,
        )
        for turn in batch.shown
        if turn.number
    }


def _leanable(turn: NumberedTurn, *, of: Origin) -> str:
    """What somebody's statement may take from a turn: of the assistant's words, a user's only from what it asked.

    Otherwise a guess of the assistant would become the user's fact as soon as the user says something like it.
    """
    words = f"{turn.text} {turn.utterance.speaker or ''}"
    if of is not Origin.USER or turn.utterance.role is Origin.USER:
        return words
    said = [turn.text[chunk.start : chunk.end] for chunk in sentences(turn.text)]
    return " ".join(sentence for sentence in said if is_question(sentence) and not is_filler(sentence, heard=""))
