"""Questions for a gateway's model: who gets them, how often, and what stays of their words."""

import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory_core.adapters.gateway_chat import GatewayChat
from memory_core.errors import Conflict, NotFound, Unavailable
from memory_core.forgetting.service import Selection
from memory_core.jobs.model_calls import CONNECTED_WITHIN, KNOWN_WITHIN, LEASE, ModelCallService
from memory_core.models.model_call import ModelCall
from memory_core.values import ChatReply, ChatRequest, ScopeKey
from tests.integration.cores import ANAS, BOS, World, opened, pass_time

HOME, CLUB = "gateway-home", "gateway-club"
WAIT = timedelta(seconds=120)
WORDS = "quillfeather"
REPLY = ChatReply(text="{}", model="acme/large", input_tokens=7, output_tokens=2)


def ask(*scopes: ScopeKey) -> ChatRequest:
    return ChatRequest(
        system="Take notes.",
        prompt=f"I love {WORDS}",
        max_tokens=99,
        purpose="extract@1",
        scopes=scopes,
        model="acme/x",
    )


def post(world: World, *scopes: ScopeKey, wait: timedelta = WAIT) -> str:
    return world.core.model_calls.post(ask(*scopes), response_format={"type": "json_object"}, wait=wait)


def row(world: World, call_id: str) -> ModelCall:
    with world.core.database.reading() as db:
        found = db.get(ModelCall, call_id)
    assert found is not None
    return found


def words_left(world: World) -> bool:
    """Whether the words of the question stand in any row."""
    with world.core.database.reading() as db:
        rows = db.connection().exec_driver_sql("SELECT request, reply, error FROM modelcall").fetchall()
    return WORDS in repr(rows)


@pytest.fixture
def calls(world: World) -> ModelCallService:
    """Calls of a world with one gateway, which serves Ana."""
    world.core.model_calls.see(HOME)
    world.core.model_calls.serve(ANAS, HOME)
    return world.core.model_calls


def test_question_goes_to_the_gateway_once_and_its_answer_comes_back(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    assert calls.reply(call_id) is None
    claim = calls.claim(HOME)
    assert claim is not None
    assert (claim.call_id, claim.lease_until) == (call_id, world.clock.now() + LEASE)
    assert dict(claim.request) == {
        "system": "Take notes.",
        "prompt": f"I love {WORDS}",
        "max_tokens": 99,
        "response_format": {"type": "json_object"},
        "purpose": "extract@1",
        "model": "acme/x",
    }
    assert calls.claim(HOME) is None
    calls.answer(call_id, reply=REPLY)
    assert calls.reply(call_id) == REPLY


def test_second_answer_is_a_conflict_and_changes_nothing(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    calls.answer(call_id, reply=REPLY)
    with pytest.raises(Conflict):
        calls.answer(call_id, reply=ChatReply(text="other", model="m"))
    with pytest.raises(Conflict):
        calls.answer(call_id, reply=None, error="x")
    assert calls.reply(call_id) == REPLY


def test_answer_to_a_question_that_never_was_is_not_found(calls: ModelCallService) -> None:
    with pytest.raises(NotFound):
        calls.answer("7", reply=REPLY)


def test_answer_after_the_asker_went_is_a_conflict(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    calls.withdraw(call_id)
    with pytest.raises(Conflict):
        calls.answer(call_id, reply=REPLY)
    with pytest.raises(Unavailable):
        calls.reply(call_id)


def test_failure_of_the_gateways_model_is_told(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    calls.answer(call_id, reply=None, error="LlmCompleteError")
    with pytest.raises(Unavailable, match="LlmCompleteError"):
        calls.reply(call_id)


def test_question_whose_lease_ended_is_offered_again(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    assert calls.claim(HOME)
    pass_time(world, seconds=LEASE.total_seconds() - 1)
    assert calls.claim(HOME) is None
    pass_time(world, seconds=1)
    again = calls.claim(HOME)
    assert again is not None
    assert again.call_id == call_id


def test_late_answer_counts_while_somebody_waits(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    calls.claim(HOME)
    pass_time(world, seconds=LEASE.total_seconds() + 5)
    calls.answer(call_id, reply=REPLY)
    assert calls.reply(call_id) == REPLY


def test_questions_are_offered_in_the_order_of_asking(world: World, calls: ModelCallService) -> None:
    asked: list[str] = []
    for _ in range(3):
        asked.append(post(world, ANAS))
        pass_time(world, seconds=1)
    claims = [calls.claim(HOME) for _ in asked]
    assert [claim and claim.call_id for claim in claims] == asked


def test_gateways_that_claim_at_once_get_a_question_once(world: World, calls: ModelCallService) -> None:
    asked = {post(world, ANAS) for _ in range(5)}
    claimed: list[str] = []

    def claim() -> None:
        found = [calls.claim(HOME) for _ in range(6)]
        claimed.extend(one.call_id for one in found if one)

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(claimed) == sorted(asked)


# -- who is asked


def test_only_the_gateway_of_the_scope_is_asked(world: World, calls: ModelCallService) -> None:
    calls.see(CLUB)
    calls.serve(BOS, CLUB)
    mine, bos = post(world, ANAS), post(world, BOS)
    claims = {gateway: calls.claim(gateway) for gateway in (HOME, CLUB)}
    assert {gateway: claim and claim.call_id for gateway, claim in claims.items()} == {HOME: mine, CLUB: bos}
    assert calls.claim(HOME) is None
    assert calls.claim(CLUB) is None


def test_scope_goes_with_its_newest_turn(world: World, calls: ModelCallService) -> None:
    calls.see(CLUB)
    calls.serve(ANAS, CLUB)
    post(world, ANAS)
    assert calls.claim(HOME) is None
    assert calls.claim(CLUB) is not None


def test_scope_of_a_gateway_that_is_away_is_not_asked_elsewhere(world: World, calls: ModelCallService) -> None:
    pass_time(world, seconds=CONNECTED_WITHIN.total_seconds() + 1)
    calls.see(CLUB)
    with pytest.raises(Unavailable):
        post(world, ANAS)


def test_gateway_at_work_counts_as_connected(world: World, calls: ModelCallService) -> None:
    post(world, ANAS)
    calls.claim(HOME)
    pass_time(world, seconds=CONNECTED_WITHIN.total_seconds() + 1)
    assert post(world, ANAS)


def test_without_any_gateway_nobody_is_asked(world: World) -> None:
    with pytest.raises(Unavailable):
        post(world, ANAS)
    assert not words_left(world)


def test_scope_that_no_gateway_brought_belongs_to_the_only_one(world: World, calls: ModelCallService) -> None:
    call_id = post(world, BOS)
    claim = calls.claim(HOME)
    assert claim is not None
    assert claim.call_id == call_id
    calls.see(CLUB)
    with pytest.raises(Unavailable, match="several"):
        post(world, BOS)
    pass_time(world, seconds=KNOWN_WITHIN.total_seconds() + 1)
    calls.see(HOME)
    assert post(world, BOS)


@pytest.mark.parametrize("scopes", [(ANAS, BOS), (BOS, ANAS)])
def test_words_of_two_gateways_are_asked_of_neither(
    world: World, calls: ModelCallService, *, scopes: Sequence[ScopeKey]
) -> None:
    calls.see(CLUB)
    calls.serve(BOS, CLUB)
    with pytest.raises(Unavailable, match="several"):
        post(world, *scopes)


def test_question_without_anybodys_words_goes_to_the_gateway_seen_last(world: World, calls: ModelCallService) -> None:
    pass_time(world, seconds=1)
    calls.see(CLUB)
    post(world)
    assert calls.claim(HOME) is None
    assert calls.claim(CLUB) is not None


# -- what stays of the words


@pytest.mark.parametrize("how", ["answered", "failed", "withdrawn", "expired", "forgotten"])
def test_words_of_a_question_go(world: World, calls: ModelCallService, *, how: str) -> None:
    call_id = post(world, ANAS)
    calls.claim(HOME)
    assert words_left(world)
    match how:
        case "answered":
            calls.answer(call_id, reply=REPLY)
        case "failed":
            calls.answer(call_id, reply=None, error="broken")
        case "withdrawn":
            calls.withdraw(call_id)
        case "expired":
            pass_time(world, seconds=WAIT.total_seconds())
            assert calls.expire() == 1
        case _:
            world.core.forgetting.forget([ANAS], Selection())
    assert not words_left(world)
    assert row(world, call_id).request is None


@pytest.mark.parametrize("how", ["fetched", "expired", "forgotten"])
def test_words_of_an_answer_go(world: World, calls: ModelCallService, *, how: str) -> None:
    call_id = post(world, ANAS)
    calls.answer(call_id, reply=ChatReply(text=WORDS, model="m"))
    assert words_left(world)
    match how:
        case "fetched":
            calls.withdraw(call_id)
        case "expired":
            pass_time(world, seconds=WAIT.total_seconds())
            calls.expire()
        case _:
            world.core.forgetting.forget([ANAS], Selection())
    assert not words_left(world)


def test_forgetting_somebody_leaves_the_questions_of_others(world: World, calls: ModelCallService) -> None:
    post(world, ANAS)
    world.core.forgetting.forget([BOS], Selection())
    assert words_left(world)
    assert calls.claim(HOME) is not None


def test_forgotten_question_is_neither_offered_nor_answered(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    world.core.forgetting.forget([ANAS], Selection())
    assert calls.claim(HOME) is None
    with pytest.raises(Conflict):
        calls.answer(call_id, reply=REPLY)


def test_expired_question_is_neither_offered_nor_answered(world: World, calls: ModelCallService) -> None:
    call_id = post(world, ANAS)
    pass_time(world, seconds=WAIT.total_seconds())
    assert calls.claim(HOME) is None
    with pytest.raises(Conflict):
        calls.answer(call_id, reply=REPLY)


def test_rows_go_after_an_hour(world: World, calls: ModelCallService) -> None:
    post(world, ANAS)
    pass_time(world, hours=1, seconds=WAIT.total_seconds() + 1)
    calls.expire()
    assert calls.expire() == 0
    with world.core.database.reading() as db:
        assert db.connection().exec_driver_sql("SELECT count(*) FROM modelcall").scalar() == 0


# -- the adapter over two cores, as flow and service are two processes


def test_flow_and_service_are_two_processes(tmp_path: Path) -> None:
    with opened(tmp_path) as service, opened(tmp_path, like=service) as flow:
        service.core.model_calls.see(HOME)
        chat = GatewayChat(flow.core.model_calls, wait=timedelta(seconds=20), poll_s=0.02)
        replies: list[ChatReply] = []
        asking = threading.Thread(target=lambda: replies.append(chat.complete(ask(ANAS))))
        asking.start()
        claim = None
        for _ in range(500):
            claim = service.core.model_calls.claim(HOME)
            if claim is not None:
                break
            asking.join(0.02)
        assert claim is not None
        service.core.model_calls.answer(claim.call_id, reply=REPLY)
        asking.join(20)
        assert replies == [REPLY]
        assert not words_left(service)


def test_question_that_nobody_answers_leaves_no_words(world: World, calls: ModelCallService) -> None:
    del calls
    chat = GatewayChat(world.core.model_calls, wait=timedelta(seconds=0.1), poll_s=0.02)
    with pytest.raises(Unavailable, match="slow"):
        chat.complete(ask(ANAS))
    assert not words_left(world)
