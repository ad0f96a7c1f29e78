"""Works that nobody kept become drafts when their session is over: once, few, and never against somebody's will."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.capture.service import ReplayedLine
from memory_core.creative.capturing import CaptureRequest
from memory_core.creative.drafting import DRAFT_TAG, MOST_DRAFTS
from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.kref import place_of
from memory_core.models.artifact import Artifact
from memory_core.store.artifacts import ArtifactRepository
from memory_core.values import MemoryId, Origin, ScopeKey
from tests.integration.cores import ANA, ANAS, BO, BOS, World, opened, pass_time

IDLE_S = 301


def content(number: int = 0) -> str:
    """A file of code that shares no line with that of another number."""
    return "\n".join(
        f"def valve_{number}_{line}(bar: int) -> int:\n    return bar * {number}{line}" for line in range(50)
    )


def answer(number: int = 0) -> str:
    return f"Here it is:\n\n```python\n{content(number)}\n```\n\nShall I go on?"


def make(world: World, number: int = 0, *, ref: Any = ANA) -> None:
    pass_time(world, seconds=1)
    world.say(f"Write the control of valve {number}", key=f"v{number}", answer=answer(number), ref=ref)


def idle(world: World) -> None:
    """Let the conversation go quiet, and do everything that is owed because of it."""
    pass_time(world, seconds=IDLE_S)
    world.core.capture.owe_idle()
    work(world)


def work(world: World) -> None:
    world.run_jobs()
    world.run_jobs()  # the drafts that the consolidation owes


def drafts(world: World, scope: ScopeKey = ANAS, *, space: str = "drafts") -> list[Artifact]:
    place = place_of(project=world.core.settings.identity.project, space=space, kind="any")
    with world.core.database.reading() as db:
        rows = ArtifactRepository(db).page([scope], place=place, tag=DRAFT_TAG, limit=99)
    return sorted(rows, key=lambda row: row.title)


def keep(world: World, text: str) -> None:
    request = CaptureRequest(
        title="Valve", content=text, creative_project="works", project="water", kind="code", tags=("own",)
    )
    world.core.capturing.capture(resolve_scope(ANA, world.core.settings.identity), request)
    world.run_jobs()


def test_an_unsaved_work_becomes_a_draft_when_the_session_goes_quiet(world: World) -> None:
    make(world)
    idle(world)
    (draft,) = drafts(world)
    assert (draft.title, draft.kind, draft.current) == ("Write the control of valve 0", "code", 1)
    opened_draft = world.core.creative.opened((ANAS,), draft.kref)
    assert opened_draft.content == content()
    memory = next(row for row in world.memories() if row.id == draft.memory_id)
    assert memory.speaker == "Ana"


def test_a_session_that_is_ended_is_over_at_once(world: World) -> None:
    make(world)
    world.core.capture.end_session(ANA)
    work(world)
    assert len(drafts(world)) == 1


def test_while_the_session_goes_on_nothing_becomes_a_draft(world: World) -> None:
    make(world)
    world.core.capture.owe_now(ANAS)
    work(world)
    assert drafts(world) == []
    # Consolidated meanwhile: nothing waits any more, and yet it is looked at once the session is over.
    idle(world)
    assert len(drafts(world)) == 1


def test_what_a_flush_left_is_looked_at_once_after_an_end_too(world: World) -> None:
    make(world)
    world.core.capture.owe_now(ANAS)
    work(world)
    pass_time(world, seconds=1)
    world.core.capture.end_session(ANA)
    pass_time(world, seconds=1)
    assert [world.core.capture.owe_idle(), world.core.capture.owe_idle()] == [1, 0]
    work(world)
    assert len(drafts(world)) == 1
    assert world.core.capture.owe_idle() == 0


def test_a_session_of_short_answers_is_not_looked_at(world: World) -> None:
    world.say("The valves are blue", key="t1")
    world.core.capture.owe_now(ANAS)
    work(world)
    pass_time(world, seconds=IDLE_S)
    assert world.core.capture.owe_idle() == 0


def test_a_draft_is_made_once_however_often_it_is_tried(world: World) -> None:
    make(world)
    pass_time(world, seconds=IDLE_S)
    world.core.capture.owe_idle()
    (job_id,) = world.run_jobs()
    assert (world.core.jobs.get(job_id).result or {})["drafts"] == 1
    world.core.jobs.run(job_id)
    world.say("And the valves are blue", key="next")
    idle(world)
    work(world)
    (draft,) = drafts(world)
    assert draft.current == 1


def test_what_the_agent_kept_becomes_no_draft(world: World) -> None:
    make(world)
    keep(world, f"# valve\n{content()}\n")
    idle(world)
    assert drafts(world) == []


def test_what_another_person_kept_doesnt_count(world: World) -> None:
    make(world, ref=BO)
    keep(world, content())
    idle(world)
    assert [len(drafts(world, scope)) for scope in (ANAS, BOS)] == [0, 1]


def test_a_pass_makes_few_drafts_and_the_newest(world: World) -> None:
    for number in range(MOST_DRAFTS + 3):
        make(world, number)
    idle(world)
    world.say("And the valves are blue", key="next")
    idle(world)
    assert [row.title[-1] for row in drafts(world)] == [str(number) for number in range(3, MOST_DRAFTS + 3)]


def test_of_a_work_that_was_revised_in_the_session_the_last_state_is_kept(world: World) -> None:
    make(world)
    pass_time(world, seconds=1)
    revised = answer().replace("valve_0_7(", "gate_0_7(")
    world.say("Rename valve 7, please", key="again", answer=revised)
    idle(world)
    (draft,) = drafts(world)
    assert "gate_0_7" in world.core.creative.opened((ANAS,), draft.kref).content


def test_a_forgotten_draft_stays_forgotten(world: World) -> None:
    make(world)
    idle(world)
    (draft,) = drafts(world)
    world.core.forgetting.forget([ANAS], selection=Selection(memory_ids=(MemoryId(draft.memory_id),)))
    world.say("And the valves are blue", key="next")
    idle(world)
    assert drafts(world) == []


def test_a_work_that_was_kept_and_forgotten_becomes_no_draft(world: World) -> None:
    make(world)
    keep(world, content())
    place = place_of(project="works", space="water", kind="code")
    with world.core.database.reading() as db:
        (kept,) = ArtifactRepository(db).page([ANAS], place=place, tag=None, limit=9)
    pass_time(world, seconds=1)
    world.core.forgetting.forget([ANAS], selection=Selection(memory_ids=(MemoryId(kept.memory_id),)))
    idle(world)
    assert drafts(world) == []


def test_an_imported_conversation_makes_no_drafts(world: World) -> None:
    said = [(Origin.USER, "Write the control of valve 0"), (Origin.ASSISTANT, answer())]
    lines = [
        ReplayedLine(
            number=number,
            ref=ANA,
            message_key=f"m{number}",
            at=datetime(2026, 1, 2, 3, number, tzinfo=UTC),
            role=role,
            speaker=None,
            text=text,
        )
        for number, (role, text) in enumerate(said)
    ]
    world.core.capture.replay(lines)
    idle(world)
    assert drafts(world) == []


@pytest.fixture
def gardeners_world(tmp_path: Path) -> Generator[World]:
    with opened(tmp_path, overrides={"space": "work/garden"}) as found:
        yield found


def test_drafts_lie_in_the_space_of_the_settings(gardeners_world: World) -> None:
    make(gardeners_world)
    idle(gardeners_world)
    assert len(drafts(gardeners_world, space="work/garden")) == 1
    assert drafts(gardeners_world) == []


def test_a_store_that_is_away_holds_up_no_consolidation(sqlite_world: World) -> None:
    world = sqlite_world
    make(world)
    folder = world.core.settings.artifact_folder
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder", encoding="utf-8")
    pass_time(world, seconds=IDLE_S)
    world.core.capture.owe_idle()
    (job_id,) = world.run_jobs()
    result = world.core.jobs.get(job_id).result or {}
    assert (result["turns"], result.get("drafts")) == (2, None)
