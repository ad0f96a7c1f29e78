"""What was injected once in a session is known there, and nowhere else."""

from memory_core.recall.ledger import MAX_SESSIONS, Injected, Ledger
from memory_core.recall.place import Place
from memory_core.values import MemoryId, ScopeKey, SessionRef

HERE = Place(scopes=(ScopeKey("room.1"),), agent_id="main", session_key="agent:main:here", person=("signal", "ana"))


def injected(number: int, *, version: int = 1) -> Injected:
    return Injected(memory_id=MemoryId(f"m{number}"), version=version)


def test_what_was_injected_is_known_whoever_speaks() -> None:
    ledger = Ledger()
    ledger.note(HERE, [injected(1)], window=200)
    assert ledger.known(HERE) == {injected(1)}
    assert ledger.known(HERE._replace(person=("signal", "bo"))) == {injected(1)}


def test_another_session_scope_or_agent_knows_nothing_of_it() -> None:
    ledger = Ledger()
    ledger.note(HERE, [injected(1)], window=200)
    others = (
        HERE._replace(session_key="agent:main:there"),
        HERE._replace(scopes=(ScopeKey("room.2"),)),
        HERE._replace(agent_id="helper"),
    )
    assert [ledger.known(place) for place in others] == [frozenset()] * 3


def test_a_memory_that_changed_is_another_one() -> None:
    ledger = Ledger()
    ledger.note(HERE, [injected(1)], window=200)
    assert injected(1, version=2) not in ledger.known(HERE)


def test_only_the_last_ones_are_remembered_and_a_repeat_is_new_again() -> None:
    ledger = Ledger()
    for numbers in ([1, 2], [3], [1], [4]):
        ledger.note(HERE, [injected(number) for number in numbers], window=3)
    assert ledger.known(HERE) == {injected(1), injected(3), injected(4)}


def test_a_window_of_nothing_remembers_nothing() -> None:
    ledger = Ledger()
    ledger.note(HERE, [injected(1)], window=0)
    assert ledger.known(HERE) == frozenset()


def test_the_session_used_longest_ago_is_given_up() -> None:
    ledger = Ledger()
    places = [HERE._replace(session_key=f"agent:main:{number}") for number in range(MAX_SESSIONS)]
    for place in places:
        ledger.note(place, [injected(1)], window=200)
    ledger.note(places[0], [injected(2)], window=200)
    ledger.note(HERE, [injected(1)], window=200)
    assert ledger.known(places[1]) == frozenset()
    assert ledger.known(places[0]) == {injected(1), injected(2)}
    assert ledger.known(places[2]) == {injected(1)}


def test_a_session_that_starts_anew_knows_nothing_in_any_scope() -> None:
    ledger = Ledger()
    elsewhere, other_scope = HERE._replace(session_key="agent:main:there"), HERE._replace(scopes=(ScopeKey("user.bo"),))
    for place in (HERE, elsewhere, other_scope):
        ledger.note(place, [injected(1)], window=200)
    ledger.clear(SessionRef(session_key="agent:main:here"))
    assert [ledger.known(place) for place in (HERE, other_scope)] == [frozenset()] * 2
    assert ledger.known(elsewhere) == {injected(1)}
