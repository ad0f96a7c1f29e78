"""What is computed ahead is used only for its own session and question, and only while nothing changed."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.models.memory import Memory
from memory_core.recall.finding import Question
from memory_core.recall.place import place_of
from memory_core.recall.prefetch import Prefetch
from memory_core.recall.service import Recalled, RecallRequest
from memory_core.values import MemoryId, MemoryStatus, SessionRef
from tests.integration.cores import ANA, ANAS, BO, GROUP, World, opened, pass_time

ASKED, ANSWERED = "Where does my sister Marta live?", "She lives in Porto."
FACT = "My sister Marta lives in Porto"
YES = "yeah, that one"


def look_ahead(world: World, ref: SessionRef = ANA) -> bool:
    return world.core.recall.look_ahead(ref, user_text=ASKED, assistant_text=ANSWERED, now=world.clock.now())


def recall(world: World, message: str = YES, *, ref: SessionRef = ANA, **fields: Any) -> Recalled:
    request = RecallRequest(
        message=message, at=world.clock.now(), previous_user=ASKED, last_assistant=ANSWERED, threshold=0
    )
    return world.core.recall.recall(ref, replace(request, **fields))


def texts(recalled: Recalled) -> list[str]:
    return [found.memory.text for found in recalled.found]


@pytest.fixture
def ready(sqlite_world: World) -> World:
    """A world with a fact and a recall computed ahead."""
    sqlite_world.remember(FACT, key="t1")
    assert look_ahead(sqlite_world)
    return sqlite_world


def test_a_message_that_only_takes_up_the_exchange_needs_no_search(ready: World) -> None:
    live = recall(ready, "yeah, that sister")
    ready.index.away = ready.embedder.away = "the index process is away"
    ahead = recall(ready)
    assert (live.source, ahead.source, ahead.degraded) == ("live", "prefetch", False)
    assert texts(ahead)[0] == FACT
    assert ahead.context == live.context
    assert ahead.query.startswith(YES)


def test_the_same_question_again_needs_none_either(ready: World) -> None:
    assert recall(ready, ASKED).source == "prefetch"


@pytest.mark.parametrize("message", ["yeah, that sister", "when?", "Which gearbox oil does the lawn tractor need now?"])
def test_a_message_with_words_of_its_own_is_searched_for(ready: World, message: str) -> None:
    assert recall(ready, message).source == "live"


def test_another_exchange_is_searched_for(ready: World) -> None:
    assert recall(ready, last_assistant="Something else.").source == "live"
    assert recall(ready, previous_user="And before?").source == "live"


def test_what_was_true_then_is_searched_for(ready: World) -> None:
    assert recall(ready, as_of=ready.clock.now()).source == "live"
    assert recall(ready, include_superseded=True).source == "live"


@pytest.mark.parametrize(
    "ref",
    [
        BO,
        GROUP,
        replace(ANA, session_key="agent:main:other"),
        replace(ANA, agent_id="helper"),
        replace(ANA, channel="x"),
    ],
)
def test_nobody_else_and_no_other_session_gets_it(ready: World, ref: SessionRef) -> None:
    ready.index.away = "the index process is away"
    assert recall(ready, ref=ref).source == "live"
    assert recall(ready, ref=ref).context == ""


def test_two_people_in_a_room_each_have_their_own(sqlite_world: World) -> None:
    bo = replace(GROUP, sender_id="bo", sender_name="Bo")
    assert look_ahead(sqlite_world, GROUP)
    assert recall(sqlite_world, ref=GROUP).source == "prefetch"
    assert recall(sqlite_world, ref=bo).source == "live"
    sqlite_world.index.away = "the index process is away"
    assert recall(sqlite_world, "and what street?", ref=GROUP).source == "prefetch"
    assert recall(sqlite_world, "and what street?", ref=bo).source == "live"


def test_limits_are_those_of_the_turn(ready: World) -> None:
    ready.remember("My sister Marta has a boat", key="t2")
    assert look_ahead(ready)
    assert len(recall(ready).found) == 2
    assert len(recall(ready, top_k=1).found) == 1
    assert recall(ready, threshold=1.0).found == []
    traced = recall(ready, explain=True, threshold=1.0).trace
    assert traced
    assert len(traced) == 2


class TestValidity:
    def test_a_new_memory_is_there_at_once(self, ready: World) -> None:
        ready.remember("My sister Marta lives in Oslo now", key="t2")
        found = recall(ready)
        assert found.source == "live"
        assert "My sister Marta lives in Oslo now" in texts(found)

    def test_a_memory_of_another_process_counts_too(self, ready: World, tmp_path: Path) -> None:
        with opened(tmp_path, like=ready) as flows:
            flows.remember("My sister Marta lives in Oslo now", key="t2")
        assert recall(ready).source == "live"

    def test_what_is_forgotten_does_not_come_back(self, ready: World) -> None:
        (memory, *_) = [memory for memory in ready.memories() if memory.text == FACT]
        ready.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(memory.id),)))
        ready.index.away = "the index process is away"
        assert FACT not in texts(recall(ready))
        assert FACT not in recall(ready).context

    @pytest.mark.parametrize("change", ["status", "text", "pinned"])
    def test_any_change_by_whomever_ends_it(self, ready: World, change: str) -> None:
        changes = {
            "status": update(Memory).values(status=MemoryStatus.DEPRECATED),
            "text": update(Memory).values(text="corrected by hand"),
            "pinned": update(Memory).values(pinned=True),
        }
        with ready.core.database.transaction() as db:
            db.exec(changes[change])
        ready.index.away = "the index process is away"
        assert recall(ready).context == ""

    def test_a_change_in_another_scope_does_not(self, ready: World) -> None:
        ready.remember("My brother lives in Rome", key="t2", ref=BO)
        assert recall(ready).source == "prefetch"

    def test_a_fact_that_ends_by_itself_is_left_out(self, ready: World) -> None:
        with ready.core.database.transaction() as db:
            db.exec(update(Memory).values(valid_until=ready.clock.now() + timedelta(minutes=30)))
        assert look_ahead(ready)
        assert texts(recall(ready)) != []
        pass_time(ready, minutes=31)
        found = recall(ready)
        assert (found.source, texts(found)) == ("prefetch", [])

    def test_it_ends_with_the_day(self, ready: World) -> None:
        pass_time(ready, hours=12)
        assert recall(ready).source == "live"

    def test_nothing_is_kept_while_the_index_lacks_a_change(self, ready: World) -> None:
        ready.say("My sister Marta lives in Oslo now", key="t2")
        ready.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
        assert not look_ahead(ready)
        ready.core.indexing.apply_due()
        assert look_ahead(ready)
        assert "My sister Marta lives in Oslo now" in texts(recall(ready))

    def test_a_change_during_the_search_makes_it_useless(self, ready: World) -> None:
        def change(_: str) -> None:
            with ready.core.database.transaction() as db:
                db.exec(update(Memory).values(text="changed meanwhile"))

        ready.embedder.before_query = change
        look_ahead(ready)
        ready.embedder.before_query = None
        assert recall(ready).source == "live"

    def test_a_session_that_starts_anew_takes_nothing_up(self, ready: World) -> None:
        ready.core.recall.begin_session(replace(ANA, sender_id=None))
        assert recall(ready).source == "live"

    def test_one_that_starts_anew_during_the_search_neither(self, ready: World) -> None:
        ready.embedder.before_query = lambda _: ready.core.recall.begin_session(ANA)
        assert not look_ahead(ready)
        ready.embedder.before_query = None
        assert recall(ready).source == "live"


class TestWithoutSearch:
    def test_a_short_message_gets_what_was_computed_ahead_and_says_so(self, ready: World) -> None:
        ready.index.away = "the index process is away"
        found = recall(ready, "and what street?")
        assert (found.source, found.degraded, texts(found)[0]) == ("prefetch", True, FACT)
        assert found.reason
        assert found.reason.startswith("the index process is away")

    def test_a_longer_one_may_be_about_something_else(self, ready: World) -> None:
        ready.index.away = "the index process is away"
        found = recall(ready, "Which gearbox oil does the lawn tractor need now?")
        assert (found.source, found.degraded, found.context) == ("live", True, "")

    def test_it_is_never_stale(self, ready: World) -> None:
        ready.remember("My sister Marta lives in Oslo now", key="t2")
        ready.index.away = "the index process is away"
        assert recall(ready, "and what street?").context == ""


def test_it_keeps_no_words(ready: World) -> None:
    prefetch = Prefetch(ready.core.database, finder=ready.core.finder, index=ready.index)
    place = place_of(ANA, resolve_scope(ANA, ready.core.settings.identity))
    question = Question(text=f"{ASKED} {ANSWERED}", at=ready.clock.now(), zone="UTC")
    assert prefetch.compute(place, question)
    assert prefetch.answer(place, question)
    kept = repr(vars(prefetch))
    assert ANAS in kept
    assert not [word for word in ("Marta", "marta", "Porto", "porto") if word in kept]
