"""What a run may not do, also when a chat model wants it; what it costs is capped and told."""

import json
from collections.abc import Callable, Generator
from pathlib import Path
from uuid import uuid4

import pytest

from memory_core.bootstrap import MemoryCore
from memory_core.capture.dedup import TextKeys
from memory_core.dream.progress import RunRequest
from memory_core.dream.service import DreamParts, DreamService
from memory_core.errors import Unavailable
from memory_core.models.dream import DreamRun
from memory_core.privacy.guarded_chat import GuardedChat
from memory_core.settings import DreamSettings
from memory_core.values import ChatReply, ChatRequest, JobKind, MemoryStatus
from tests.integration.cores import ANAS, World, opened
from tests.integration.dreams.planting import plant, row, status

Answer = Callable[[list[dict[str, object]]], list[dict[str, object]]]
RETIRED = {MemoryStatus.DEPRECATED, MemoryStatus.SUPERSEDED}


class Oracle:
    """A chat model that proposes what a function of the statements says."""

    def __init__(self, answer: Answer, *, tokens: int = 100) -> None:
        self.answer = answer
        self.tokens = tokens
        self.asked: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        self.asked.append(request)
        shown = [json.loads(line) for line in request.prompt.splitlines()]
        text = json.dumps({"changes": self.answer(shown)})
        return ChatReply(text=text, model="oracle", input_tokens=self.tokens, output_tokens=self.tokens)


class Babbler(Oracle):
    """Answers with words that are no JSON."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        self.asked.append(request)
        return ChatReply(text="I'd rather not.", model="babbler", input_tokens=5, output_tokens=5)


class Absent(Oracle):
    """Is never there."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        self.asked.append(request)
        raise Unavailable("the model is asleep")


def deprecate_all(shown: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{"op": "deprecate", "id": one["id"], "reason": "away with it"} for one in shown]


def retire_all(shown: list[dict[str, object]]) -> list[dict[str, object]]:
    last = shown[-1]["id"]
    wanted: list[dict[str, object]] = [
        {"op": op, "id": one["id"], "by": last, "reason": "away"} for one in shown for op in ("supersede", "duplicate")
    ]
    return deprecate_all(shown) + wanted


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    with opened(tmp_path) as found:
        yield found


def dream_with(world: World, model: Oracle, *, settings: DreamSettings | None = None) -> DreamRun:
    core: MemoryCore = world.core
    parts = DreamParts(
        database=core.database,
        clock=world.clock,
        embedder=world.embedder,
        keys=TextKeys(b"tests"),
        settings=settings or DreamSettings(),
        chat=GuardedChat(model, pii=True),
    )
    request = RunRequest(run_id=str(uuid4()), kind=JobKind.DREAM)
    run = DreamService(parts).run(request, on_progress=lambda _: None)
    world.clock.advance(hours=24)
    return run


SUBJECTS = ("kayak", "violin", "lantern", "compass", "kettle", "ladder", "beehive", "saddle", "anvil", "sextant")


def plant_things(world: World, *, days_ago: float = 30) -> list[str]:
    return [plant(world, f"The {thing} came from grandmother.", days_ago=days_ago).id for thing in SUBJECTS]


@pytest.mark.parametrize("answer", [deprecate_all, retire_all])
def test_a_model_that_wants_everything_gone_gets_half_at_most(world: World, answer: Answer) -> None:
    old = plant_things(world)
    young = [plant(world, f"The young {thing} is new.", days_ago=2) for thing in SUBJECTS[:4]]
    pinned = plant(world, "The pinned rule stays.", pinned=True)
    published = plant(world, "The published essay stays.", tags=["published"])
    run = dream_with(world, Oracle(answer))
    rows = {memory.id: memory for memory in world.memories(ANAS)}
    retired = [memory for memory in rows.values() if memory.status in RETIRED]
    assert run.reviewed == len(rows) == len(old) + 6
    assert 1 <= len(retired) <= run.reviewed // 2
    assert not {memory.id for memory in young} & {memory.id for memory in retired}
    assert {status(world, pinned), status(world, published)} <= {MemoryStatus.ACTIVE, MemoryStatus.FLAGGED}
    report = world.core.dreams.reports.get(run.id)
    reasons = " ".join(change.reason for change in report.changes if change.state == "refused")
    assert "younger than 7 days" in reasons
    assert "pinned" in reasons
    assert "published" in reasons
    assert "half of what was reviewed" in reasons
    assert report.counts["refused"] >= 6


def test_what_a_model_says_of_other_memories_than_it_was_shown_is_not_heard(world: World) -> None:
    plant_things(world)
    run = dream_with(
        world, Oracle(lambda _: [{"op": "deprecate", "id": 999, "reason": "?"}, {"op": "explode", "id": 1}])
    )
    assert run.state == "done"
    assert {memory.status for memory in world.memories(ANAS)} == {MemoryStatus.ACTIVE}


def test_a_model_can_replace_what_no_rule_understands(world: World) -> None:
    old = plant(world, "Grandmother's kayak rests on two red trestles in the boathouse.")
    new = plant(world, "Grandmother's kayak rests on two blue trestles in the boathouse.", days_ago=10)
    plant_things(world)

    def answer(shown: list[dict[str, object]]) -> list[dict[str, object]]:
        number = {str(one["text"]): one["id"] for one in shown}
        return [{"op": "supersede", "id": number[old.text], "by": number[new.text], "reason": "repainted"}]

    run = dream_with(world, Oracle(answer))
    assert (status(world, old), row(world, old).superseded_by) == (MemoryStatus.SUPERSEDED, new.id)
    assert (run.model, run.calls, run.tokens) == ("oracle", 1, 200)


def test_a_model_that_replaces_an_unrelated_fact_raises_a_doubt_only(world: World) -> None:
    old = plant(world, "The harbour crane is yellow.")
    new = plant(world, "My aunt bakes rye bread on Fridays.", days_ago=10)

    def answer(shown: list[dict[str, object]]) -> list[dict[str, object]]:
        number = {str(one["text"]): one["id"] for one in shown}
        return [{"op": "supersede", "id": number[old.text], "by": number[new.text], "reason": "why not"}]

    dream_with(world, Oracle(answer))
    assert status(world, old) == MemoryStatus.FLAGGED


@pytest.mark.parametrize("model", [Babbler(deprecate_all), Absent(deprecate_all)])
def test_without_a_usable_answer_the_rules_do_the_run(world: World, model: Oracle) -> None:
    old = plant(world, "I live in Lisbon.")
    plant(world, "I live in Porto now.", days_ago=1)
    run = dream_with(world, model)
    assert run.state == "done"
    assert status(world, old) == MemoryStatus.SUPERSEDED
    assert model.asked


class TestBudget:
    def test_calls_are_capped(self, world: World) -> None:
        for thing in SUBJECTS:
            for number in range(6):
                plant(world, f"The {thing} number {number} came from grandmother.")
        model = Oracle(lambda _: [])
        run = dream_with(world, model, settings=DreamSettings(calls=2))
        assert (len(model.asked), run.calls) == (2, 2)
        assert "calls" in " ".join(run.notes)
        assert run.reviewed == 60

    def test_tokens_are_capped(self, world: World) -> None:
        for number in range(60):
            plant(world, f"The kayak number {number} came from grandmother.")
        model = Oracle(lambda _: [], tokens=2000)
        run = dream_with(world, model, settings=DreamSettings(tokens=5000))
        assert run.tokens <= 5000
        assert len(model.asked) == 1
        assert "tokens" in " ".join(run.notes)

    def test_no_calls_means_no_model(self, world: World) -> None:
        plant_things(world)
        model = Oracle(deprecate_all)
        dream_with(world, model, settings=DreamSettings(calls=0))
        assert model.asked == []

    def test_when_the_time_is_over_the_rest_is_left_for_the_next_run(self, world: World) -> None:
        for number in range(150):
            plant(world, f"The kayak number {number} came from grandmother.")

        def slow(_shown: list[dict[str, object]]) -> list[dict[str, object]]:
            world.clock.advance(minutes=20)
            return []

        run = dream_with(world, Oracle(slow), settings=DreamSettings(minutes=30))
        assert (run.planned, run.state) == (150, "done")
        assert run.reviewed < 150
        assert "left for the next run" in " ".join(run.notes)
        rest = dream_with(world, Oracle(lambda _: []))
        assert rest.planned == 150 - run.reviewed
