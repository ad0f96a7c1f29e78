"""A second opinion: a chat model proposes changes of a batch, which rules check and guards bound like any other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import structlog

from memory_core.dream.changes import Change
from memory_core.dream.deciding import Decider
from memory_core.dream.known import Known
from memory_core.dream.pairs import Relation
from memory_core.dream.prompts import (
    MAX_REPLY_TOKENS,
    PURPOSE,
    SCHEMA,
    SYSTEM,
    ProposedChange,
    ProposedOp,
    question,
    read_reply,
)
from memory_core.dream.tagging import MOST_TAGS
from memory_core.errors import Invalid, Unavailable
from memory_core.ports import ChatModel
from memory_core.values import ChatRequest, LinkKind, MemoryKind, Origin, ScopeKey

ALIKE = 0.8
"""Cosine below which two statements are no duplicates, whoever says so."""
REPLACEABLE = 0.65
"""Cosine below which one statement can't take another's place on a model's word alone."""
SAME_MATTER = 0.5
"""Cosine below which two statements have nothing to do with each other."""
_REASON_CHARS = 160
_TAG_CHARS = 40

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a model proposes about a list of memories, and which model that was; None when it gave no answer."""

    memories: tuple[Known, ...]
    proposals: tuple[ProposedChange, ...] = ()
    model: str | None = None


class ModelReviewer:
    """Asks a chat model about batches until it is away or the budget is used up."""

    def __init__(self, chat: ChatModel, *, model: str | None) -> None:
        """Ask through a guard that holds the run's budget; `model` is wanted when it is another than the usual."""
        self._chat = chat
        self._model = model
        self.calls = 0
        """How often a model was asked and answered, or refused to."""
        self.stopped: str | None = None
        """Why it asks no more; None while it does."""

    def ask(self, memories: Sequence[Known], *, scope: ScopeKey) -> Opinion:
        """What the model thinks of these memories; never raises because of it."""
        nothing = Opinion(memories=tuple(memories))
        if self.stopped is not None or len(memories) == 0:
            return nothing
        request = ChatRequest(
            system=SYSTEM,
            prompt=question(memories),
            max_tokens=MAX_REPLY_TOKENS,
            schema=SCHEMA,
            purpose=PURPOSE,
            scopes=(scope,),
            model=self._model,
        )
        try:
            reply = self._chat.complete(request)
            self.calls += 1
            return Opinion(memories=tuple(memories), proposals=tuple(read_reply(reply.text)), model=reply.model)
        except Unavailable as error:
            self.stopped = str(error)
            log.info("dream.model_stopped", reason=self.stopped)
        except Invalid as error:
            self.calls += 1
            log.info("dream.model_refused", reason=str(error)[:_REASON_CHARS])
        except ValueError as error:
            log.info("dream.model_reply_unusable", error=type(error).__name__)
        return nothing


def follow(opinion: Opinion, decider: Decider) -> Iterator[Change]:
    """What follows from an opinion as far as rules bear it out; the rest isn't done."""
    for proposal in opinion.proposals:
        target = _numbered(opinion, proposal.id)
        other = _numbered(opinion, proposal.by)
        if target is None:
            continue
        reason = f"model: {' '.join(proposal.reason.split())[:_REASON_CHARS] or 'no reason given'}"
        if proposal.op is ProposedOp.DEPRECATE:
            yield from decider.deprecate(target, reason=reason)
        elif proposal.op is ProposedOp.TAG:
            yield from decider.tag(target, _new_tags(target, proposal.tags), reason=reason)
        elif other is not None and other is not target:
            yield from _pair(decider, proposal.op, pair=(target, other), reason=reason)


def _pair(decider: Decider, op: ProposedOp, *, pair: tuple[Known, Known], reason: str) -> Iterator[Change]:
    target, other = pair
    finding = decider.pairs.compare(target, other)
    cosine = decider.snapshot.cosine(target, other)
    alike = target.speaker == other.speaker and target.origin is other.origin
    match op:
        case ProposedOp.SUPERSEDE if finding.older is target and alike:
            if finding.relation is Relation.REPLACES or (cosine >= REPLACEABLE and _may_end(target)):
                yield from decider.supersede(target, by=other, reason=reason)
            else:
                yield from decider.contradict(other, target, reason=f"{reason}; in doubt: no rule bears it out")
        case ProposedOp.DUPLICATE if alike and cosine >= ALIKE and finding.relation in _COMPATIBLE:
            yield from decider.merge(target, other, reason=reason)
        case ProposedOp.CONTRADICT if cosine >= SAME_MATTER:
            yield from decider.contradict(finding.newer, finding.older, reason=reason)
        case ProposedOp.SUPPORT if cosine >= SAME_MATTER and not alike:
            yield from decider.connect(LinkKind.SUPPORTS, source=other, target=target, reason=reason, weight=cosine)
        case _:
            return


_COMPATIBLE = frozenset({Relation.REPEATS, Relation.SUPPORTS, Relation.NONE})


def _may_end(memory: Known) -> bool:
    """What happened has happened: only what describes a state can be replaced."""
    return memory.kind is not MemoryKind.EVENT and memory.origin is Origin.USER


def _numbered(opinion: Opinion, number: int | None) -> Known | None:
    if number is None or not 1 <= number <= len(opinion.memories):
        return None
    memory = opinion.memories[number - 1]
    return memory if memory.in_force else None


def _new_tags(memory: Known, proposed: Sequence[str]) -> list[str]:
    clean = (" ".join(tag.split()).casefold()[:_TAG_CHARS] for tag in proposed)
    fresh = [tag for tag in dict.fromkeys(clean) if tag and tag not in memory.tags]
    return fresh[: max(MOST_TAGS - len(memory.tags), 0)]
