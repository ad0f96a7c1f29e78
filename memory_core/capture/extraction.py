"""Ask the chat model for candidates; the reply is validated, repaired once, and held against what was said.

The model-free way stands beside it and steps in wherever the model doesn't serve: for a batch whose answer stays
unreadable, for a turn of which nothing passes the guards, and for the rest of a run once no model answers.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

import structlog
from pydantic import ValidationError

from memory_core.capture.extraction_batches import Batch, batches, heard_in
from memory_core.capture.prompts import (
    EXTRACT,
    EXTRACT_SCHEMA,
    EXTRACT_SYSTEM,
    Extraction,
    Statement,
    extract_prompt,
    json_part,
    repair_prompt,
)
from memory_core.capture.statement_guards import DELIBERATE, Heard, Refusal, checked
from memory_core.capture.statements import Candidate, Utterance, extract
from memory_core.errors import Invalid, Unavailable
from memory_core.ports import ChatModel, Clock
from memory_core.privacy.guarded_chat import Budget, GuardedChat
from memory_core.values import ChatReply, ChatRequest, ScopeKey

RUN_CALLS, RUN_TOKENS, RUN_TIME = 60, 200_000, timedelta(minutes=10)
"""What one run may ask of its model; what is left after it is done the model-free way."""
REPLY_TOKENS = 3000
_MOST_STATEMENTS = 16
"""Of one turn, as in the model-free way."""
_DISTRUST_FROM = 3
"""A model that finds nothing where the rules find so many statements isn't believed."""
_MODEL_CHARS = 80

log = structlog.get_logger(__name__)


class Extractor(Protocol):
    """Finds candidates in what was said."""

    def begin(self, scope: ScopeKey) -> "ExtractionRun":
        """Start a run over turns of a scope; what it may ask of a model is counted per run."""
        ...


class ExtractionRun(Protocol):
    """One run of an extractor."""

    def candidates(self, utterances: Sequence[Utterance]) -> list[list[Candidate]]:
        """Candidates of each utterance, in order; the same words may give others the next time.

        Raises:
            Unavailable: a model is required and none answers.
            zoneinfo.ZoneInfoNotFoundError: a zone is unknown.
        """
        ...


class RuleExtractor:
    """The model-free way."""

    def begin(self, scope: ScopeKey) -> "RuleExtractor":  # noqa: ARG002 the rules are the same for everybody
        """See `Extractor.begin`."""
        return self

    def candidates(self, utterances: Sequence[Utterance]) -> list[list[Candidate]]:
        """See `ExtractionRun.candidates`."""
        return [extract(utterance) for utterance in utterances]


class ModelExtractor:
    """Asks a chat model, within a budget per run."""

    def __init__(
        self, chat: GuardedChat | None, *, clock: Clock, pii: bool, may_go_without: bool, calls: int = RUN_CALLS
    ) -> None:
        """Use a model.

        Args:
            chat: Who is asked; None when no model is configured.
            clock: Bounds a run.
            pii: Redact personal data too.
            may_go_without: What no model answers is done the model-free way; otherwise it waits.
            calls: Most questions of one run.
        """
        self._chat = chat
        self._calls = calls
        self._clock = clock
        self._pii = pii
        self._may_go_without = may_go_without

    def begin(self, scope: ScopeKey) -> ExtractionRun:
        """See `Extractor.begin`."""
        if self._chat is None:
            return RuleExtractor() if self._may_go_without else _NoModel()
        budget = Budget(calls=self._calls, tokens=RUN_TOKENS, clock=self._clock, until=self._clock.now() + RUN_TIME)
        return _ModelRun(self._chat.within(budget), scope=scope, pii=self._pii, may_go_without=self._may_go_without)


class _NoModel:
    """Everything waits."""

    def candidates(self, utterances: Sequence[Utterance]) -> list[list[Candidate]]:  # noqa: ARG002 whatever they are
        raise Unavailable("localSummarization is off and no chat model is configured: turns wait")


class _ModelRun:
    def __init__(self, chat: ChatModel, *, scope: ScopeKey, pii: bool, may_go_without: bool) -> None:
        self._chat = chat
        self._scope = scope
        self._pii = pii
        self._may_go_without = may_go_without
        self._is_away = False

    def candidates(self, utterances: Sequence[Utterance]) -> list[list[Candidate]]:
        found = [extract(utterance) for utterance in utterances]
        for batch in batches(utterances):
            if self._is_away:
                break
            by_rule = sum(len(found[place]) for place in batch.places.values())
            if by_rule:  # what the rules take for small talk isn't worth a call
                for place, candidates in self._ask(batch, by_rule=by_rule).items():
                    found[place] = candidates if candidates is not None else found[place]
        return found

    def _ask(self, batch: Batch, *, by_rule: int) -> dict[int, list[Candidate] | None]:
        """Candidates by place; None where the model-free way is to be used."""
        try:
            extraction, model = self._extraction(extract_prompt(batch.shown))
        except Unavailable as error:
            if not self._may_go_without:
                raise
            self._is_away = True
            log.info("extraction.without_model", reason=str(error))
            return {}
        except Invalid as error:
            if not self._may_go_without:
                raise Unavailable(f"the chat model doesn't serve: {error}") from error
            log.info("extraction.batch_without_model", reason=str(error))
            return {}
        if not extraction.statements and by_rule >= _DISTRUST_FROM:
            log.info("extraction.batch_without_model", reason="the model finds nothing")
            return {}
        return self._taken(batch, extraction, made_by=f"{EXTRACT}:{model[:_MODEL_CHARS]}")

    def _extraction(self, prompt: str) -> tuple[Extraction, str]:
        """The validated reply and the model it came from.

        Raises:
            Unavailable: no model answers, or the budget is used up.
            Invalid: the model refuses, or its reply stays unreadable.
        """
        reply = self._complete(prompt)
        try:
            return Extraction.model_validate_json(json_part(reply.text)), reply.model
        except ValidationError as error:
            problems = _problems(error)
        repaired = self._complete(repair_prompt(prompt, answer=reply.text, problems=problems))
        try:
            return Extraction.model_validate_json(json_part(repaired.text)), repaired.model
        except ValidationError:
            raise Invalid("its answer can't be read, not even after a repair") from None

    def _complete(self, prompt: str) -> ChatReply:
        request = ChatRequest(
            system=EXTRACT_SYSTEM,
            prompt=prompt,
            max_tokens=REPLY_TOKENS,
            schema=EXTRACT_SCHEMA,
            purpose=EXTRACT,
            scopes=(self._scope,),
        )
        return self._chat.complete(request)

    def _taken(self, batch: Batch, extraction: Extraction, *, made_by: str) -> dict[int, list[Candidate] | None]:
        heard = heard_in(batch)
        taken: dict[int, list[Candidate]] = {place: [] for place in batch.places.values()}
        doubtful: set[int] = set()
        refused: dict[str, int] = {}
        for statement in extraction.statements:
            refusal = self._take(statement, heard, batch=batch, taken=taken, made_by=made_by)
            if refusal is not None:
                refused[refusal.name.lower()] = refused.get(refusal.name.lower(), 0) + 1
                if refusal not in DELIBERATE and statement.turn in batch.places:
                    doubtful.add(batch.places[statement.turn])
        log.info(
            "extraction.done",
            statements=sum(map(len, taken.values())),
            **{f"refused_{k}": v for k, v in refused.items()},
        )
        return {place: candidates or (None if place in doubtful else []) for place, candidates in taken.items()}

    def _take(
        self,
        statement: Statement,
        heard: dict[int, Heard],
        *,
        batch: Batch,
        taken: dict[int, list[Candidate]],
        made_by: str,
    ) -> Refusal | None:
        if statement.turn not in heard:
            return Refusal.UNKNOWN_TURN
        mine = taken[batch.places[statement.turn]]
        found = checked(statement, heard[statement.turn], position=len(mine), made_by=made_by, pii=self._pii)
        if isinstance(found, Refusal):
            return found
        is_known = any(_folded(found.text) == _folded(other.text) for others in taken.values() for other in others)
        if is_known or len(mine) >= _MOST_STATEMENTS:
            return Refusal.REPEATED
        mine.append(found)
        return None


def _problems(error: ValidationError) -> str:
    """Place and rule of each mistake, without the words that broke it."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "\n".join(f"- {'.'.join(map(str, one['loc'])) or 'answer'}: {one['msg']}" for one in found[:10])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
