"""Over HTTP: nothing twice where that is wanted, the next recall computed ahead, and always an answer in time."""

import threading
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from plugin.service.recalling import RECALLS_AT_ONCE
from tests.integration.cores import opened
from tests.integration.service.server import ANA, BO, SECRET_WORDS, Service, served

FACT = f"My sister Marta lives in Porto near the {SECRET_WORDS} bridge"
QUESTION = "Where does my sister Marta live?"
ANSWER = "She lives in Porto."
AFTER: Mapping[str, Any] = {"previousUser": QUESTION, "lastAssistant": ANSWER}
WITHIN_S = 10


def recall(
    service: Service, session: Mapping[str, Any] = ANA, *, text: str = QUESTION, **fields: Any
) -> dict[str, Any]:
    answer = service.post("/v1/recall", session=dict(session), message={"text": text}, threshold=0, **fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def number(service: Service, line: str) -> float:
    """A number of `/metrics`; 0 before it was counted."""
    lines = service.client.get("/metrics").text.splitlines()
    return next((float(found.rsplit(" ", 1)[1]) for found in lines if found.startswith(f"{line} ")), 0.0)


def wait_for_number(service: Service, line: str, *, at_least: float) -> None:
    end = time.monotonic() + WITHIN_S
    while number(service, line) < at_least:
        assert time.monotonic() < end, f"{line} never reached {at_least}"
        time.sleep(0.02)


def exchange(service: Service, *, key: str, session: Mapping[str, Any] = ANA) -> None:
    """A turn after which the next recall was computed ahead."""
    kept = 'nightshift_prefetches_total{outcome="kept"}'
    before = number(service, kept)
    assert service.turn(QUESTION, key=key, session=session, assistant={"text": ANSWER})["status"] == "accepted"
    wait_for_number(service, kept, at_least=before + 1)


@dataclass(kw_only=True)
class Jam:
    """An embedder that keeps every question waiting until `go_on` is set."""

    go_on: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    seen: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def hold(self, _: str) -> None:
        self.seen += 1
        self._count(1)
        self.go_on.wait(WITHIN_S)
        self._count(-1)

    def wait_for(self, waiting: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.waiting == waiting, WITHIN_S), f"{self.waiting} wait"

    def _count(self, step: int) -> None:
        with self._changed:
            self.waiting += step
            self._changed.notify_all()


@contextmanager
def jammed(service: Service) -> Generator[Jam]:
    """A service whose embedder answers nobody."""
    jam = Jam()
    service.world.embedder.before_query = jam.hold
    try:
        yield jam
    finally:
        jam.go_on.set()
        jam.wait_for(0)
        service.world.embedder.before_query = None


@pytest.fixture
def once(tmp_path: Path) -> Generator[Service]:
    """A service with `reinject: once` that remembers two memories a session."""
    with opened(tmp_path / "once", overrides={"reinject": "once", "dedupeWindow": 2}) as world, served(world) as found:
        yield found


class TestRepeats:
    def test_a_memory_that_is_needed_again_comes_again(self, service: Service) -> None:
        service.remember(FACT)
        assert FACT in recall(service)["context"]
        assert FACT in recall(service)["context"]

    def test_with_once_it_comes_once_a_session(self, once: Service) -> None:
        once.remember(FACT)
        first, second = recall(once), recall(once)
        assert FACT in first["context"]
        assert (second["context"], second["memories"], second["degraded"]) == ("", [], False)
        assert FACT in recall(once, {**ANA, "sessionKey": "agent:main:other"})["context"]

    def test_the_callers_wish_goes_before_the_setting(self, service: Service, once: Service) -> None:
        service.remember(FACT)
        once.remember(FACT)
        assert [bool(recall(service, reinject="once")["context"]) for _ in range(2)] == [True, False]
        assert [bool(recall(once, reinject="relevant")["context"]) for _ in range(2)] == [True, True]
        assert [bool(recall(once, dedupeWindow=0)["context"]) for _ in range(2)] == [True, True]

    def test_a_look_from_outside_neither_counts_nor_is_cut(self, once: Service) -> None:
        once.remember(FACT)
        assert FACT in recall(once, dedupe=False)["context"]
        assert FACT in recall(once)["context"]
        assert FACT in recall(once, dedupe=False)["context"]

    def test_what_was_found_but_not_injected_comes_later(self, once: Service) -> None:
        once.remember(f"{FACT} {'x' * 100}")
        assert recall(once, budgetChars=200)["context"] == ""
        assert FACT in recall(once)["context"]

    def test_others_move_up(self, once: Service) -> None:
        once.remember(FACT)
        once.remember("My sister Marta has a boat")
        first, second = recall(once, topK=1)["context"], recall(once, topK=1)["context"]
        assert FACT in first
        assert "has a boat" in second

    def test_a_memory_that_changed_is_new(self, once: Service) -> None:
        old = once.remember(FACT)
        recall(once)
        once.world.clock.advance(hours=1)
        once.tool("memory_store", text="My sister Marta lives in Oslo", replaces=old["kref"])
        assert "Oslo" in recall(once)["context"]

    def test_only_the_last_ones_are_remembered(self, once: Service) -> None:
        for what in ("a house by the river", "a boat", "a piano"):
            once.remember(f"My sister Marta has {what}")
        blocks = [recall(once, topK=1)["context"] for _ in range(4)]
        assert all(blocks)
        assert blocks[3] == blocks[0]

    @pytest.mark.parametrize("event", ["start", "reset", "end"])
    def test_a_session_that_starts_anew_gets_it_again(self, once: Service, event: str) -> None:
        once.remember(FACT)
        recall(once)
        once.post(f"/v1/sessions/{event}", session={**ANA, "senderId": None, "senderName": None})
        assert FACT in recall(once)["context"]

    def test_it_says_what_was_left_out_for_it(self, once: Service) -> None:
        once.remember(FACT)
        recall(once)
        (entry,) = recall(once, explain=True)["trace"]
        assert entry["outcome"] == "left out: it was injected in this session already"
        assert entry["text"].startswith("My sister Marta")

    def test_tools_find_it_all_the_same(self, once: Service) -> None:
        once.remember(FACT)
        recall(once)
        for _ in range(2):
            assert len(once.tool("memory_search", query=QUESTION)["details"]["memories"]) == 1
        assert recall(once)["context"] == ""

    def test_a_wrong_wish_is_named(self, service: Service) -> None:
        answer = service.post("/v1/recall", session=dict(ANA), message={"text": QUESTION}, reinject="never")
        assert "reinject: " in service.error(answer, status=422, code="invalid")


class TestPrefetch:
    def test_after_a_turn_the_next_recall_is_there(self, service: Service) -> None:
        service.remember(FACT)
        exchange(service, key="t1")
        body = recall(service, text="yeah, that one", **AFTER)
        assert (body["source"], body["degraded"]) == ("prefetch", False)
        assert FACT in body["context"]
        assert number(service, 'nightshift_recall_sources_total{source="prefetch"}') == 1

    def test_a_correction_is_seen_at_once(self, service: Service) -> None:
        old = service.remember(FACT)
        exchange(service, key="t1")
        service.world.clock.advance(hours=1)
        service.tool("memory_store", text="My sister Marta lives in Oslo", replaces=old["kref"])
        body = recall(service, text="yeah, that one", **AFTER)
        assert body["source"] == "live"
        assert "Oslo" in body["context"]
        assert FACT not in body["context"]

    def test_a_skipped_turn_computes_nothing(self, service: Service) -> None:
        service.remember(FACT)
        exchange(service, key="t1")
        service.turn(QUESTION, key="t2", assistant={"text": ""})
        service.turn(QUESTION, key="t1", assistant={"text": ANSWER})
        exchange(service, key="t3")
        assert number(service, 'nightshift_prefetches_total{outcome="kept"}') == 2

    def test_a_reset_ends_it(self, service: Service) -> None:
        service.remember(FACT)
        exchange(service, key="t1")
        service.post("/v1/sessions/reset", session=ANA)
        assert recall(service, text="yeah, that one", **AFTER)["source"] == "live"

    def test_a_part_that_is_away_fails_one_and_not_the_next(self, service: Service) -> None:
        service.world.index.away = "the index process is away"
        service.turn(QUESTION, key="t1", assistant={"text": ANSWER})
        wait_for_number(service, 'nightshift_prefetches_total{outcome="failed"}', at_least=1)
        service.world.index.away = None
        exchange(service, key="t2")

    def test_it_waits_until_no_recall_is_being_answered(self, service: Service) -> None:
        service.remember(FACT)
        with jammed(service) as jam, ThreadPoolExecutor(1) as pool:
            asked = pool.submit(recall, service, budgetMs=15_000)
            jam.wait_for(1)
            for turn in range(3):
                service.turn(QUESTION, key=f"t{turn}", assistant={"text": ANSWER})
            time.sleep(0.2)
            assert number(service, 'nightshift_prefetches_total{outcome="kept"}') == 0
            jam.go_on.set()
            assert FACT in asked.result()["context"]
        # Of three turns in one session the newest is enough.
        wait_for_number(service, 'nightshift_prefetches_total{outcome="kept"}', at_least=1)
        time.sleep(0.2)
        assert number(service, 'nightshift_prefetches_total{outcome="kept"}') == 1


class TestDeadline:
    def test_past_its_budget_a_recall_answers_with_nothing_and_counts_as_missed(self, service: Service) -> None:
        service.remember(FACT)
        with jammed(service):
            began = time.monotonic()
            body = recall(service, budgetMs=200)
            took_s = time.monotonic() - began
        assert (body["memories"], body["context"], body["degraded"]) == ([], "", True)
        assert "200 ms" in body["reason"]
        assert 0.2 <= took_s < 1
        assert number(service, 'nightshift_recalls_total{outcome="missed"}') == 1
        assert service.client.get("/v1/stats").json()["recall"]["misses"] == 1
        assert FACT in recall(service)["context"]

    def test_the_setting_is_the_budget_of_those_who_name_none(self, tmp_path: Path) -> None:
        with opened(tmp_path, overrides={"recallBudgetMs": 100}) as world, served(world) as service, jammed(service):
            assert "100 ms" in recall(service)["reason"]

    def test_past_it_a_short_message_gets_what_was_computed_ahead(self, service: Service) -> None:
        service.remember(FACT)
        exchange(service, key="t1")
        with jammed(service):
            began = time.monotonic()
            body = recall(service, text="and what street?", budgetMs=200, **AFTER)
            took_s = time.monotonic() - began
        assert (body["source"], body["degraded"]) == ("prefetch", True)
        assert "200 ms" in body["reason"]
        assert FACT in body["context"]
        assert took_s < 1
        assert number(service, 'nightshift_recalls_total{outcome="missed"}') == 1

    def test_past_it_nothing_stale_is_given(self, service: Service) -> None:
        service.remember(FACT)
        exchange(service, key="t1")
        with jammed(service), ThreadPoolExecutor(1) as pool:
            asked = pool.submit(recall, service, text="and what street?", budgetMs=600, **AFTER)
            service.remember("My sister Marta has a boat")
            assert asked.result()["context"] == ""

    def test_what_came_too_late_was_not_injected(self, once: Service) -> None:
        once.remember(FACT)
        with jammed(once):
            assert recall(once, budgetMs=100)["context"] == ""
        assert FACT in recall(once)["context"]

    def test_late_searches_do_not_pile_up(self, service: Service) -> None:
        service.remember(FACT)
        with jammed(service) as jam, ThreadPoolExecutor(RECALLS_AT_ONCE * 2) as pool:
            asked = [pool.submit(recall, service, budgetMs=300) for _ in range(RECALLS_AT_ONCE * 2)]
            assert all(answer.result()["degraded"] for answer in asked)
            assert jam.waiting == RECALLS_AT_ONCE
            began = time.monotonic()
            assert recall(service, BO, budgetMs=100)["degraded"]
            assert service.client.get("/healthz").status_code == 200
            assert time.monotonic() - began < 1
            jam.go_on.set()
            assert FACT in recall(service, budgetMs=15_000)["context"]
            # Nobody waited any more for those that had no turn: they were never begun.
            assert jam.seen == RECALLS_AT_ONCE + 1
