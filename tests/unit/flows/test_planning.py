from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from flows.planning import Rescue, Room, Run, RunState, decide_rescue, find_orphans, plan_starts

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CONSOLIDATE, IMPORT = uuid4(), uuid4()
ROOM = Room(limit=4, by_deployment={IMPORT: 2})


def due(minutes: int, *, deployment: UUID = CONSOLIDATE, by_schedule: bool = False) -> Run:
    return Run(
        run_id=uuid4(),
        deployment_id=deployment,
        state=RunState.SCHEDULED,
        due_at=NOON + timedelta(minutes=minutes),
        by_schedule=by_schedule,
    )


def test_the_longest_waiting_start_first_and_no_more_than_there_is_room_for() -> None:
    runs = [due(minutes) for minutes in (5, 1, 4, 3, 2)]
    plan = plan_starts(runs, running=[IMPORT], room=ROOM)
    assert [run.due_at for run in plan.start] == [NOON + timedelta(minutes=minutes) for minutes in (1, 2, 3)]
    assert [run.due_at for run in plan.wait] == [NOON + timedelta(minutes=minutes) for minutes in (4, 5)]


def test_a_kind_at_its_limit_lets_the_others_pass() -> None:
    imports = [due(minutes, deployment=IMPORT) for minutes in (1, 2, 3)]
    consolidation = due(9)
    plan = plan_starts([*imports, consolidation], running=[], room=ROOM)
    assert plan.start == (*imports[:2], consolidation)
    assert plan.wait == (imports[2],)


def test_a_full_house_starts_nothing() -> None:
    plan = plan_starts([due(1)], running=[CONSOLIDATE] * 4, room=ROOM)
    assert plan.start == ()
    assert len(plan.wait) == 1


def test_of_the_missed_runs_of_a_schedule_only_the_newest_starts() -> None:
    nights = [due(minutes, by_schedule=True) for minutes in (3, 1, 2)]
    asked_for = [due(1), due(2)]
    plan = plan_starts([*nights, *asked_for], running=[], room=ROOM)
    assert set(plan.skip) == {nights[1], nights[2]}
    assert set(plan.start) == {nights[0], *asked_for}


def test_schedules_of_different_deployments_do_not_stand_in_for_each_other() -> None:
    runs = [due(1, by_schedule=True), due(2, deployment=IMPORT, by_schedule=True)]
    assert plan_starts(runs, running=[], room=ROOM).skip == ()


@pytest.mark.parametrize("state", [RunState.PENDING, RunState.RUNNING, RunState.CANCELLING])
def test_an_active_run_of_nobody_is_an_orphan(state: RunState) -> None:
    mine, lost = (Run(run_id=uuid4(), deployment_id=IMPORT, state=state) for _ in range(2))
    assert find_orphans([mine, lost], ours={mine.run_id}) == [lost]


@pytest.mark.parametrize(
    ("state", "starts", "becomes"),
    [
        (RunState.PENDING, 0, Rescue.RESUME),
        (RunState.RUNNING, 4, Rescue.RESUME),
        (RunState.RUNNING, 5, Rescue.GIVE_UP),
        (RunState.CANCELLING, 1, Rescue.CANCEL),
        (RunState.CANCELLING, 5, Rescue.CANCEL),
    ],
)
def test_an_orphan_is_started_again_until_it_proves_hopeless(*, state: RunState, starts: int, becomes: Rescue) -> None:
    run = Run(run_id=uuid4(), deployment_id=IMPORT, state=state, starts=starts)
    assert decide_rescue(run, max_starts=5) is becomes
