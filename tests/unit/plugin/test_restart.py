import signal

import pytest

from plugin.up.restart import Deaths, RestartPolicy

POLICY = RestartPolicy(
    first_pause_s=1,
    longest_pause_s=4,
    longest_pause_after_kill_s=2,
    settled_after_s=30,
    attempts=5,
    hopeless_pause_s=60,
)


def test_pauses_double_up_to_their_limit() -> None:
    deaths = Deaths(POLICY)
    assert [deaths.record(1, lived_s=0).pause_s for _ in range(4)] == [1, 2, 4, 4]


def test_dying_of_its_own_five_times_in_a_row_is_hopeless_and_said_once() -> None:
    deaths = Deaths(POLICY)
    verdicts = [deaths.record(1, lived_s=0) for _ in range(6)]
    assert [verdict.hopeless for verdict in verdicts] == [False, False, False, False, True, True]
    assert [verdict.newly_hopeless for verdict in verdicts] == [False, False, False, False, True, False]
    assert verdicts[4].own_deaths == 5
    assert verdicts[5].pause_s == 60


def test_a_life_long_enough_makes_the_next_death_a_first_one() -> None:
    deaths = Deaths(POLICY)
    for _ in range(4):
        deaths.record(1, lived_s=0)
    verdict = deaths.record(1, lived_s=30)
    assert (verdict.pause_s, verdict.hopeless, verdict.own_deaths) == (1, False, 1)


@pytest.mark.parametrize("count", [5, 50])
def test_being_killed_from_outside_is_never_hopeless(count: int) -> None:
    deaths = Deaths(POLICY)
    verdicts = [deaths.record(-signal.SIGKILL, lived_s=0) for _ in range(count)]
    assert not any(verdict.hopeless for verdict in verdicts)
    assert verdicts[-1].pause_s == 2


def test_a_crash_by_signal_counts_as_its_own_death() -> None:
    deaths = Deaths(POLICY)
    assert [deaths.record(-signal.SIGSEGV, lived_s=0).hopeless for _ in range(5)][-1]
