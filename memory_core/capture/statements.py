"""Pure: from an utterance to candidates for memories, without a model.

What retrieves best is one memory an utterance of up to 400 characters in the speaker's own words: context stays
together, noise goes. Longer utterances are split where sentences end. Relative dates carry their absolute date in
brackets; a short answer carries the question it answers.
"""

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from memory_core.capture.assistant_talk import is_filler, is_low_value, is_small_talk, most_telling
from memory_core.capture.chunking import Chunk, pack, sentences, split_long, without_bullet
from memory_core.capture.code_blocks import mention_code
from memory_core.capture.exchange import answer_prefix, begins_as_answer
from memory_core.capture.kinds import Dated, kind_of
from memory_core.capture.sentence_value import Value, is_question, value
from memory_core.capture.tables import read_tables
from memory_core.dates.calendar_spans import Precision
from memory_core.dates.resolving import DateMention, resolve
from memory_core.values import MemoryKind, Origin

log = structlog.get_logger(__name__)

RULES = "rules@1"
"""Version of the model-free way; raised when it finds something else in the same words."""
AS_SAID = "as-said@1"
"""Maker of memories whose utterance no rule could read; their words are left as they were."""
LIMIT_CHARS = 400
"""Longest text of a memory; what recall injects of one."""
_WIDE = re.compile(r"[\u3000-\u9fff\uac00-\ud7af]")
"""Scripts that put no space between words."""
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)|^#{1,6}[ \t]+", re.MULTILINE)
_APPOINTED = re.compile(r"\b(?:see (?:you|ya)|meet you|bis|wir sehen uns|nos vemos|hasta|à)\b", re.IGNORECASE)
"""With a day, an appointment among people: "Alright, see you tomorrow!"."""
_ROOM_FOR_DATES_CHARS = 60
_SHORT_ANSWER_CHARS = 80
_FRAGMENT_CHARS = 24
"""A shorter answer says what kind it is together with its question only."""
_PIECES_OF_USER, _PIECES_OF_ASSISTANT = 16, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What one side said in a turn.

    Attributes:
        role: Who said it.
        speaker: Name of the one who spoke; None when unknown.
        text: Cleaned and redacted.
        said_at: When, aware, UTC.
        timezone: Zone of the speaker, an IANA name.
        previous_text: The utterance before it in the session; None at the start of one.
        shared: It was said among people, in a group or channel.
    """

    role: Origin
    speaker: str | None
    text: str
    said_at: datetime
    timezone: str
    previous_text: str | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory proposed for storing.

    Attributes:
        text: A self-contained statement in the speaker's words, at most 400 characters.
        kind: Its kind.
        event_at, event_until: The stretch of time it names, half-open, UTC; None when it names none.
        speaker, origin: As in the utterance.
        position: Order within the utterance, from 0.
        made_by: The rules or the prompt and the model that made it, with their version.
    """

    text: str
    kind: MemoryKind
    event_at: datetime | None
    event_until: datetime | None
    speaker: str | None
    origin: Origin
    position: int
    made_by: str = RULES


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence or a part of one, dates written out."""

    text: str
    value: Value
    dates: tuple[DateMention, ...]


def extract(utterance: Utterance) -> list[Candidate]:
    """What of an utterance is worth keeping, in order; empty for greetings, thanks, fillers and bare questions.

    Never raises: an utterance that breaks a rule is kept as it was said, marked by `made_by`, and reported. One such
    turn would else hold up everything its scope says after it.
    """
    try:
        return _statements(utterance)
    except Exception as error:  # noqa: BLE001 whatever it is, the turns behind it must go on
        log.error("extraction.set_aside", error=type(error).__name__, at=place_of(error))  # noqa: TRY400 no text in logs
        return _as_said(utterance)


def place_of(error: BaseException) -> str:
    """File and line of ours that raised, for logs: an error's message may hold what was said."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "memory_core" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""


def _as_said(utterance: Utterance) -> list[Candidate]:
    text = " ".join(utterance.text.split())
    pieces = split_long(text, Chunk(0, len(text)), limit=LIMIT_CHARS)[:_PIECES_OF_ASSISTANT] if text else []
    return [
        Candidate(
            text=text[piece.start : piece.end],
            kind=MemoryKind.FACT,
            event_at=None,
            event_until=None,
            speaker=utterance.speaker,
            origin=utterance.role,
            position=position,
            made_by=AS_SAID,
        )
        for position, piece in enumerate(pieces)
    ]


def _statements(utterance: Utterance) -> list[Candidate]:
    text = _EMPHASIS.sub(r"\2", read_tables(mention_code(utterance.text)))
    pieces = _pieces(text, utterance)
    if utterance.role is Origin.ASSISTANT and is_small_talk([piece.text for piece in pieces]):
        return []
    prefix, pieces = _answering(text, utterance, pieces=pieces)
    if not prefix and not any(piece.value is Value.INFORMATION for piece in pieces):
        return []
    lengths = [len(piece.text) + 2 for piece in pieces]
    lengths[0] += len(prefix)
    groups = [[pieces[index] for index in group] for group in pack(lengths, limit=LIMIT_CHARS)]
    groups = [group for group in groups if prefix or any(piece.value is Value.INFORMATION for piece in group)]
    return [
        _candidate(group, utterance, prefix=prefix if position == 0 else "", position=position)
        for position, group in enumerate(_bounded(groups, utterance.role))
    ]


def _pieces(text: str, utterance: Utterance) -> list[_Piece]:
    """Sentences that may be kept; pleasantries and what the assistant only says to be polite are gone."""
    mentions = resolve(text, utterance.said_at, tz=utterance.timezone)
    pieces: list[_Piece] = []
    seen: set[str] = set()
    for chunk in (without_bullet(text, found) for found in sentences(text)):
        sentence = text[chunk.start : chunk.end]
        if sentence.casefold() in seen:
            continue
        seen.add(sentence.casefold())
        judged = Value.NOISE if is_low_value(sentence) else value(sentence, shared=utterance.shared)
        if utterance.shared and _APPOINTED.search(sentence) and any(_within(chunk, one) for one in mentions):
            judged = Value.INFORMATION
        if judged is Value.NOISE or (utterance.role is not Origin.USER and _is_dropped(sentence, utterance)):
            continue
        parts = split_long(text, chunk, limit=LIMIT_CHARS - _ROOM_FOR_DATES_CHARS)
        pieces += [_piece(text, part, mentions=mentions, judged=judged) for part in parts]
    return pieces


def _within(chunk: Chunk, mention: DateMention) -> bool:
    return chunk.start <= mention.start and mention.end <= chunk.end


def _is_dropped(sentence: str, utterance: Utterance) -> bool:
    return is_question(sentence) or is_filler(sentence, heard=utterance.previous_text or "")


def _piece(text: str, part: Chunk, *, mentions: Sequence[DateMention], judged: Value) -> _Piece:
    """The part with the meaning of its relative dates in brackets, as long as it stays within the limit."""
    inside = [mention for mention in mentions if _within(part, mention)]
    written, position, said = "", part.start, set[str]()
    room = LIMIT_CHARS - (part.end - part.start)
    for mention in inside:
        note = f"（{mention.text}）" if _WIDE.match(text, mention.end - 1) else f" ({mention.text})"
        if mention.explicit or mention.text in said or len(note) > room or text.startswith(note, mention.end):
            continue
        # "tomorrow's opening": the note goes behind the whole word.
        end = mention.end + 2 if text[mention.end : mention.end + 2] in {"'s", "’s"} else mention.end
        if end == part.end and text[end - 1] == ".":  # "in March." is no abbreviation where a sentence ends
            end -= 1
        written += text[position:end] + note
        position = end
        room -= len(note)
        said.add(mention.text)
    flat = " ".join((written + text[position : part.end]).split())
    return _Piece(flat, judged, tuple(inside))


def _answering(text: str, utterance: Utterance, *, pieces: list[_Piece]) -> tuple[str, list[_Piece]]:
    """The question that a short answer needs to be understood, empty when it needs none; and the answer."""
    answers = [piece for piece in pieces if piece.value is not Value.QUESTION]
    first = next((text[chunk.start : chunk.end] for chunk in sentences(text)), "")
    bare = not answers
    if bare and not begins_as_answer(first):
        return "", pieces
    length = len(first) if bare else sum(len(piece.text) + 1 for piece in answers)
    if not utterance.previous_text or length > _SHORT_ANSWER_CHARS:
        return "", pieces
    prefix = answer_prefix(utterance.previous_text, bare=bare)
    if not prefix:
        return "", pieces
    return prefix, answers or [_Piece(first, Value.INFORMATION, ())]


def _bounded(groups: list[list[_Piece]], role: Origin) -> list[list[_Piece]]:
    limit = _PIECES_OF_USER if role is Origin.USER else _PIECES_OF_ASSISTANT
    if len(groups) <= limit:
        return groups
    chosen = most_telling([" ".join(piece.text for piece in group) for group in groups], limit=limit)
    return [groups[index] for index in chosen]


def _candidate(group: Sequence[_Piece], utterance: Utterance, *, prefix: str, position: int) -> Candidate:
    text = prefix + _joined([piece.text for piece in group])
    dates = [mention for piece in group for mention in piece.dates]
    exact = [mention for mention in dates if mention.precision is not Precision.APPROXIMATE] or dates
    return Candidate(
        text=text,
        kind=kind_of(
            text if len(text) - len(prefix) < _FRAGMENT_CHARS else text[len(prefix) :], dated=_how_dated(dates)
        ),
        event_at=exact[0].since if exact else None,
        event_until=exact[0].until if exact else None,
        speaker=utterance.speaker,
        origin=utterance.role,
        position=position,
    )


def _how_dated(dates: Sequence[DateMention]) -> Dated:
    if not dates:
        return Dated.NO
    rough = {Precision.SEASON, Precision.YEAR, Precision.APPROXIMATE}
    return Dated.ROUGHLY if all(mention.precision in rough for mention in dates) else Dated.EXACTLY


def _joined(texts: Sequence[str]) -> str:
    """Sentences side by side; lines of a list that have no mark at their end get one."""
    joined = ""
    for text in texts:
        if joined:
            if _WIDE.match(text) and joined[-1] in "。！？":
                joined += text
                continue
            joined += " " if joined[-1] in ".!?…:;,。！？)]\"'”" or text.startswith("[") else "; "
        joined += text
    return joined
