"""Pure: what speaks for each memory of a pool, as numbers; the table that `scoring` weighs.

A pool is what the index found and what stands beside it in its session. A memory borrows evidence from its neighbours:
each word of the question counts where it fits best, in the memory itself, in what led to it, or in what followed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memory_core.recall.periods import Period
from memory_core.recall.plan import Plan
from memory_core.recall.wording import (
    exactly_told,
    is_question,
    names_told,
    tells_number,
    tells_of_self,
    tells_time,
)
from memory_core.values import Embedding, FloatArray, MemoryId, SparseVector
from memory_core.vectors import JoinedVectors

FEATURES = (
    "late_window",
    "stretch",
    "gist",
    "keyword_window",
    "answer",
    "date",
    "speaker",
    "question",
    "self",
    "names",
    "wanted_names",
    "time",
    "number",
    "exact",
)
"""Columns of the table, in order; see `measure`."""
WINDOW: Mapping[int, float] = {-3: 0.65, -2: 0.85, -1: 0.85, 1: 0.65, 2: 0.65}
"""Places away in the session to the share of a neighbour's evidence that counts.

Late interaction alone, r@10: without neighbours .749, one before .803, two before .823, this window .837; shares from
.7 to .9 for those before and .5 to .7 for the others differ by less than .01.
"""
_STRETCH = 2
"""Places."""
_NEAR_DAYS, _NEARBY = 31, 0.4
_JUST_AFTER_DAYS = 7
_KEYWORDS_FOR_ROWS = 0.8
"""Late score of a memory that holds all keywords of the question: about what the rows of such a memory reach."""
_ONE_DAY = timedelta(days=1)
_NO_ROWS: FloatArray = np.zeros((0, 0), dtype=np.float32)
_NO_KEYWORDS = SparseVector(indices=(), values=())
_STRIDE = 2**32
"""More places than a session has."""


class Contender(NamedTuple):
    """A memory that may be the answer; a tuple, since hundreds are made for each question.

    Attributes:
        text: Its statement, without the speaker's name in front.
        speaker: Who said it, as memories show the name.
        session: The session it was said in; None when it was stored by a tool: then it has no neighbours.
        place: Rank among the memories of its session, by position: neighbours differ by 1.
        said_at: When it was said.
        event_at, event_until: The stretch of time it tells of, half-open; `event_until` is None where it isn't known.
        tokens: Token rows of its embedding, unit norm, shape (rows, dimension); empty where they are given joined.
        keywords: Keyword weights of its embedding; empty where they are given joined.
    """

    memory_id: MemoryId
    text: str
    speaker: str | None
    session: int | None
    place: int
    said_at: datetime
    event_at: datetime
    event_until: datetime | None
    tokens: FloatArray = _NO_ROWS
    keywords: SparseVector = _NO_KEYWORDS


def measure(
    query: Embedding, contenders: Sequence[Contender], *, plan: Plan, vectors: JoinedVectors | None = None
) -> npt.NDArray[np.float64]:
    """Measure every contender of a pool.

    Args:
        query: The question, as `Embedder.embed_query` gives it with `plan.quiet`.
        contenders: At least one; the rarity of a keyword is taken from them.
        plan: The question, as `plan.plan` reads it.
        vectors: Token rows and keywords of the contenders; None takes them from each.

    Returns:
        Shape (contenders, features), the columns being those of `FEATURES`:
        late_window: Weighted mean over the question's pieces of the best cosine in the window, in 0 to 1.
        stretch: The best `late_window` at most two places away, its own included.
        gist: Cosine of the sums of all token rows.
        keyword_window: BM25 of the question's keywords as a share of what each could bring at one mention of usual
            length; 0 to about 1.5.
        answer: The same, of the memory just before alone, where that one asks.
        date: 1 for what happened or was said in a period of the question, less soon after it, else 0.
        speaker, question, time, number: 0 or 1; time and number only where the question wants one.
        self: Where the question is about one person: how much the words mean the speaker rather than the listener.
        names: ln(1 + capitalised words inside sentences).
        wanted_names: The same where the question wants a name, else 0.
        exact: Share of the question's code-like names that the memory holds.
    """
    beside = _neighbours(contenders)
    joined = vectors or _joined(contenders, width=query.tokens.shape[1] if query.tokens.size else 1)
    pieces = _piece_evidence(query, joined.rows, starts=joined.starts)
    words = _keyword_evidence(query.sparse, joined)
    if joined.unread is not None and query.tokens.size:
        pieces[:, joined.unread] = _stand_in(query, words[:, joined.unread])
    window = _windowed(pieces, beside).sum(axis=0)
    nothing = np.zeros(len(contenders))
    names = np.array([names_told(contender.text, known=plan.quiet) for contender in contenders])
    asking = np.array([is_question(contender.text) for contender in contenders], dtype=np.float64)
    columns = [
        window,
        np.maximum(window, _best_beside(window, beside)),
        _gist(query, joined.rows, starts=joined.starts),
        _windowed(words, beside).sum(axis=0),
        np.append(words.sum(axis=0) * asking, 0.0)[beside[-1]],
        np.array([_nearness(contender, plan.periods) for contender in contenders]) if plan.periods else nothing,
        np.array([plan.speaker is not None and contender.speaker == plan.speaker for contender in contenders]),
        asking,
        np.array([tells_of_self(contender.text) for contender in contenders]) if plan.speaker is not None else nothing,
        names,
        names if plan.asks_name else nothing,
        np.array([plan.asks_when and tells_time(contender.text) for contender in contenders]),
        np.array([plan.asks_number and tells_number(contender.text) for contender in contenders]),
        np.array([exactly_told(contender.text, wanted=plan.exact) for contender in contenders]),
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def _neighbours(contenders: Sequence[Contender]) -> dict[int, npt.NDArray[np.int64]]:
    """For each distance of the window, which contender stands there; the number of contenders where none does."""
    # A place of its own for each that has no session: then nobody stands beside it.
    keys = np.fromiter(
        (
            -_STRIDE * (row + 1) if one.session is None else one.session * _STRIDE + one.place
            for row, one in enumerate(contenders)
        ),
        np.int64,
        len(contenders),
    )
    order = np.argsort(keys)
    ascending = keys[order]
    beside: dict[int, npt.NDArray[np.int64]] = {}
    for distance in WINDOW:
        at = np.minimum(np.searchsorted(ascending, keys + distance), len(keys) - 1)
        beside[distance] = np.where(ascending[at] == keys + distance, order[at], len(keys))
    return beside


def _windowed(
    evidence: npt.NDArray[np.float64], beside: Mapping[int, npt.NDArray[np.int64]]
) -> npt.NDArray[np.float64]:
    """The best evidence for each part of the question, the neighbours' counted in part."""
    padded = np.pad(evidence, ((0, 0), (0, 1)))
    best = evidence
    for distance, share in WINDOW.items():
        best = np.maximum(best, share * padded[:, beside[distance]])
    return best


def _best_beside(
    values: npt.NDArray[np.float64], beside: Mapping[int, npt.NDArray[np.int64]]
) -> npt.NDArray[np.float64]:
    """The largest value at a distance of at most `_STRETCH`; 0 where nobody stands."""
    padded = np.append(values, 0.0)
    near = [padded[rows] for distance, rows in beside.items() if abs(distance) <= _STRETCH]
    return np.max(near, axis=0)


def _joined(contenders: Sequence[Contender], *, width: int) -> JoinedVectors:
    """The vectors of the contenders in one piece."""
    blank = np.zeros((1, width), dtype=np.float32)
    rows = [one.tokens if one.tokens.shape[1:] == (width,) and len(one.tokens) else blank for one in contenders]
    return JoinedVectors(
        rows=np.concatenate(rows),
        starts=np.cumsum([0, *map(len, rows[:-1])]),
        numbers=np.fromiter(chain.from_iterable(one.keywords.indices for one in contenders), dtype=np.int64),
        weights=np.fromiter(chain.from_iterable(one.keywords.values for one in contenders), dtype=np.float64),
        owners=np.repeat(np.arange(len(contenders)), [len(one.keywords.indices) for one in contenders]),
    )


def _piece_evidence(query: Embedding, rows: FloatArray, *, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Best dot product of each query row with each contender's rows, not below 0; shape (query rows, contenders)."""
    if not query.tokens.size:
        return np.zeros((1, len(starts)))
    products = query.tokens @ rows.T
    return np.maximum(np.maximum.reduceat(products, starts, axis=1), 0.0).astype(np.float64)


def _stand_in(query: Embedding, words: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What keywords say of each piece where no rows can be compared; shape (query rows, contenders)."""
    shares = _KEYWORDS_FOR_ROWS * np.minimum(words.sum(axis=0), 1.0)
    return np.linalg.norm(query.tokens, axis=1).astype(np.float64)[:, np.newaxis] * shares


def _gist(query: Embedding, rows: FloatArray, *, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    if not query.tokens.size:
        return np.zeros(len(starts))
    asked = query.tokens.sum(axis=0)
    told = _sums(rows, starts)
    norms = np.linalg.norm(told, axis=1) * np.linalg.norm(asked)
    return (told * asked).sum(axis=1).astype(np.float64) / np.maximum(norms, 1e-9)


def _sums(rows: FloatArray, starts: npt.NDArray[np.int64]) -> FloatArray:
    """The sum of each contender's rows; neighbours with equally many go together, which `reduceat` can't."""
    counts = np.diff(starts, append=len(rows))
    cuts = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist(), len(counts)]
    sums: list[FloatArray] = []
    for first, end in pairwise(cuts):
        count, start = int(counts[first]), int(starts[first])
        block = rows[start : start + count * (end - first)].reshape(end - first, count, -1)
        sums.append(np.einsum("mrd->md", block))
    return np.concatenate(sums)


def _keyword_evidence(wanted: SparseVector, joined: JoinedVectors) -> npt.NDArray[np.float64]:
    """Each keyword's share of the evidence that all could bring; shape (keywords, contenders)."""
    total = len(joined.starts)
    weights = np.zeros((max(1, len(wanted.indices)), total))
    for row, number in enumerate(wanted.indices):
        found = joined.numbers == number
        weights[row, joined.owners[found]] = joined.weights[found]
    holders = (weights > 0).sum(axis=1, keepdims=True)
    rarity = np.log1p((total - holders + 0.5) / (holders + 0.5))
    return weights * rarity / max(float(rarity.sum()), 1e-9)


def _nearness(contender: Contender, periods: Sequence[Period]) -> float:
    spans = [(contender.event_at, contender.event_until or contender.event_at), (contender.said_at, contender.said_at)]
    return max((period.weight * _fit(span, period) for period in periods for span in spans), default=0.0)


def _fit(span: tuple[datetime, datetime], period: Period) -> float:
    """1 within the period or, for a single day, told within a week; a little for what was told within a month."""
    since, until = span
    if until >= period.since - _ONE_DAY and since < period.until:
        return 1.0
    if since < period.until:
        return 0.0
    gap = since - period.until
    is_short = period.until - period.since <= _ONE_DAY * _JUST_AFTER_DAYS
    if is_short and gap < timedelta(days=_JUST_AFTER_DAYS):
        return 1.0
    return _NEARBY if gap < timedelta(days=_NEAR_DAYS if is_short else _JUST_AFTER_DAYS) else 0.0
