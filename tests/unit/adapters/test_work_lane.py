import threading
import time
from collections.abc import Generator
from concurrent.futures import Future

import pytest

from memory_core.adapters.work_lane import Steps, Urgency, WorkLane, at_once
from memory_core.errors import Invalid, Unavailable

_SOON_S = 10


@pytest.fixture
def lane() -> Generator[WorkLane]:
    lane = WorkLane("test")
    yield lane
    lane.close()


class Gate:
    """Work that has begun and waits to be let go, so that a queue can build up behind it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()

    def steps(self) -> Steps:
        return at_once(self._wait)

    def _wait(self) -> None:
        self.begun.set()
        assert self.open.wait(_SOON_S)


def noted(log: list[str], name: str, *, pieces: int = 1) -> Steps:
    for number in range(pieces - 1):
        log.append(f"{name}{number}")
        yield
    log.append(f"{name}{pieces - 1}")
    return name


@pytest.fixture
def gate(lane: WorkLane) -> Gate:
    gate = Gate()
    lane.submit(gate.steps(), urgency=Urgency.QUESTION, within_s=_SOON_S)
    assert gate.begun.wait(_SOON_S)
    return gate


def test_results_come_back(lane: WorkLane) -> None:
    assert lane.submit(at_once(lambda: 6 * 7), urgency=Urgency.BULK, within_s=_SOON_S).result(_SOON_S) == 42
    assert lane.submit(noted([], "a", pieces=5), urgency=Urgency.BULK, within_s=_SOON_S).result(_SOON_S) == "a"


def test_errors_come_back_and_do_not_end_the_lane(lane: WorkLane) -> None:
    def refuse() -> None:
        raise Invalid("no")

    with pytest.raises(Invalid, match="no"):
        lane.submit(at_once(refuse), urgency=Urgency.SMALL, within_s=_SOON_S).result(_SOON_S)
    assert lane.submit(at_once(lambda: 1), urgency=Urgency.SMALL, within_s=_SOON_S).result(_SOON_S) == 1


def test_the_urgent_goes_first_then_the_earlier(lane: WorkLane, gate: Gate) -> None:
    log: list[str] = []
    order = [Urgency.BULK, Urgency.QUESTION, Urgency.SMALL, Urgency.QUESTION]
    done = [lane.submit(noted(log, f"{u.name}{n}."), urgency=u, within_s=_SOON_S) for n, u in enumerate(order)]
    assert lane.waiting() == 5
    gate.open.set()
    for future in done:
        future.result(_SOON_S)
    assert log == ["QUESTION1.0", "QUESTION3.0", "SMALL2.0", "BULK0.0"]


def test_a_question_comes_in_between_the_pieces_of_long_work(lane: WorkLane) -> None:
    log: list[str] = []
    answered: list[Future[object]] = []

    def long_work() -> Steps:
        for number in range(4):
            log.append(f"piece{number}")
            if number == 1:
                answered.append(lane.submit(noted(log, "question"), urgency=Urgency.QUESTION, within_s=_SOON_S))
            yield

    lane.submit(long_work(), urgency=Urgency.BULK, within_s=_SOON_S).result(_SOON_S)
    assert [future.result(_SOON_S) for future in answered] == ["question"]
    assert log == ["piece0", "piece1", "question0", "piece2", "piece3"]


def test_equals_take_turns(lane: WorkLane, gate: Gate) -> None:
    log: list[str] = []
    done = [lane.submit(noted(log, name, pieces=3), urgency=Urgency.BULK, within_s=_SOON_S) for name in "ab"]
    gate.open.set()
    for future in done:
        future.result(_SOON_S)
    assert log == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_what_nobody_waits_for_any_more_is_dropped(lane: WorkLane, gate: Gate) -> None:
    log: list[str] = []
    late = lane.submit(noted(log, "late"), urgency=Urgency.QUESTION, within_s=0.01)
    given_up = lane.submit(noted(log, "given up"), urgency=Urgency.QUESTION, within_s=_SOON_S)
    assert given_up.cancel()
    time.sleep(0.02)
    gate.open.set()
    with pytest.raises(Unavailable):
        late.result(_SOON_S)
    lane.submit(at_once(lambda: None), urgency=Urgency.BULK, within_s=_SOON_S).result(_SOON_S)
    assert log == []


def test_long_work_past_its_time_is_dropped_between_its_pieces(lane: WorkLane) -> None:
    log: list[str] = []

    def slow() -> Steps:
        log.append("first")
        time.sleep(0.05)
        yield
        log.append("second")

    with pytest.raises(Unavailable):
        lane.submit(slow(), urgency=Urgency.BULK, within_s=0.02).result(_SOON_S)
    assert log == ["first"]


def test_closing_drops_what_waits_and_refuses_what_comes() -> None:
    lane, gate = WorkLane("test"), Gate()
    running = lane.submit(gate.steps(), urgency=Urgency.QUESTION, within_s=_SOON_S)
    assert gate.begun.wait(_SOON_S)
    waiting = lane.submit(at_once(lambda: 1), urgency=Urgency.QUESTION, within_s=_SOON_S)
    closing = threading.Thread(target=lane.close)
    closing.start()
    with pytest.raises(Unavailable):
        waiting.result(_SOON_S)
    gate.open.set()
    closing.join(_SOON_S)
    assert running.result(_SOON_S) is None
    with pytest.raises(Unavailable):
        lane.submit(at_once(lambda: 1), urgency=Urgency.QUESTION, within_s=_SOON_S).result(_SOON_S)
