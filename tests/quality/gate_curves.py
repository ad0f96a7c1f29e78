"""How often the streaming gate speaks up as its knobs are turned: `python -m tests.quality.gate_curves`.

The real embedder and index rank the facts of `gate_set` for each of its drafts; one knob runs from 0 to 1, the others
stay at their defaults. For `focus` and `sensitivity` each draft is an answer of its own. `stability` is about pacing:
there all drafts, mixed, are one long answer of which a sentence is said every few seconds.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from memory_core.capture.storing import StoreRequest
from memory_core.gate.service import GateService, Stream
from memory_core.identity import resolve_scope
from memory_core.recall.finding import Finder, Question, Ranked
from memory_core.recall.staging import Staging
from memory_core.settings import GateSettings
from memory_core.values import ScopeKey, SessionRef
from tests.quality.gate_set import DRAFTS, FACTS, DraftKind
from tests.quality.real_core import RealCore, real_core

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
SENTENCE_S = 3.0
"""How long it takes to say a sentence."""
_SEED = 7461
_ANA = SessionRef(session_key="agent:main:gate", user_id="ana", sender_name="Ana", timezone="UTC")
_NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)

Figures = Mapping[str, object]


class _RankedOnce(Finder):
    """Ranks each sentence once: what the knobs decide comes after."""

    def __init__(self, world: RealCore) -> None:
        super().__init__(world.core.database, index=world.core.index, embedder=world.core.embedder)
        self._ranked: dict[str, list[Ranked]] = {}

    def rank(self, scopes: Sequence[ScopeKey], question: Question) -> list[Ranked]:
        if question.text not in self._ranked:
            self._ranked[question.text] = super().rank(scopes, question)
        return self._ranked[question.text]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What gates are built from."""

    world: RealCore
    finder: Finder

    def gate(
        self, knobs: Mapping[str, float], *, staging: Staging | None = None, seconds: Callable[[], float] = lambda: 0.0
    ) -> GateService:
        """A gate that has heard nothing yet, with these knobs."""
        core = self.world.core
        settings = replace(core.settings, gate=replace(GateSettings(force_repass=True), **knobs))
        return GateService(
            self.finder, staging=staging or Staging(), settings=settings, clock=core.clock, seconds=seconds
        )


def measure_gate() -> dict[str, object]:
    """Rates by knob and value: of drafts that staged a memory, that interrupted, and that are to be revised."""
    with real_core(_NOW) as world:
        _remember(world)
        bench = _Bench(world=world, finder=_RankedOnce(world))
        return {
            "facts": len(FACTS),
            "drafts": {kind.value: len(drafts) for kind, drafts in DRAFTS.items()},
            "focus": _curves(bench, "focus"),
            "sensitivity": _curves(bench, "sensitivity"),
            "stability": {f"{step:g}": _paced(bench, step) for step in STEPS},
        }


def _remember(world: RealCore) -> None:
    scope = resolve_scope(_ANA, world.core.settings.identity)
    for fact in FACTS:
        world.core.storing.store(scope, StoreRequest(text=fact))
        world.clock.advance(minutes=1)
    while world.core.indexing.lag():
        world.core.indexing.apply_due()


def _curves(bench: _Bench, knob: str) -> Figures:
    """One table each of what is staged, interrupted and revised, with a line for each value of the knob."""
    measures = {"staged": _is_staged, "interrupted": _interrupts, "revised": _is_revised}
    return {
        name: {f"{step:g}": _rates(partial(bench.gate, {knob: step}), measure) for step in STEPS}
        for name, measure in measures.items()
    }


def _rates(new_gate: Callable[[], GateService], measure: Callable[[GateService, str], bool]) -> Figures:
    return {kind.value: _share([measure(new_gate(), draft) for draft in drafts]) for kind, drafts in DRAFTS.items()}


def _is_staged(gate: GateService, draft: str) -> bool:
    return gate.observe(_ANA, draft + "\n", run_id="r", stream=Stream.ASSISTANT).staged > 0


def _interrupts(gate: GateService, draft: str) -> bool:
    return gate.observe(_ANA, draft + "\n", run_id="r", stream=Stream.ASSISTANT).should_interrupt


def _is_revised(gate: GateService, draft: str) -> bool:
    return gate.finalize(_ANA, draft, run_id="r", tools_used=False).revise


def _paced(bench: _Bench, stability: float) -> Figures:
    """One long answer of all drafts: how many of its sentences stage something, how often it is interrupted."""
    drafts = [(kind, draft) for kind, drafts in DRAFTS.items() for draft in drafts]
    random.Random(_SEED).shuffle(drafts)
    now_s, staged, interrupted = 0.0, 0, list[DraftKind]()
    staging = Staging()
    gate = bench.gate({"stability": stability}, staging=staging, seconds=lambda: now_s)
    for kind, draft in drafts:
        now_s += SENTENCE_S
        seen = gate.observe(_ANA, draft + "\n", run_id="long", stream=Stream.ASSISTANT)
        staged += seen.staged > 0
        staging.clear(_ANA)  # only so many wait at once
        interrupted += [kind] if seen.should_interrupt else []
    return {
        "sentences that stage": staged,
        "interruptions": len(interrupted),
        "of them stale": interrupted.count(DraftKind.STALE),
        "interruptions a minute": round(len(interrupted) * 60 / now_s, 2),
    }


def _share(happened: Sequence[bool]) -> float:
    return round(sum(happened) / len(happened), 2)


def main() -> None:
    """Measure and print."""
    print(json.dumps(measure_gate(), indent=1))


if __name__ == "__main__":
    main()
