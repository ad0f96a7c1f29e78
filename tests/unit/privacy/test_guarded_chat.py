"""What goes to a chat model is redacted, and no run asks more than its budget."""

import threading
from datetime import timedelta

import pytest

from memory_core.errors import Invalid, Unavailable
from memory_core.privacy.guarded_chat import LEAST_REPLY_TOKENS, Budget, GuardedChat, Spent, estimated_tokens
from memory_core.values import ChatReply, ChatRequest
from tests.fakes.chat_model import FakeChatModel
from tests.fakes.clock import FakeClock

ASK = ChatRequest(system="Be brief.", prompt="What blooms in May?", max_tokens=400, purpose="test@1")
ASKED_TOKENS = estimated_tokens(ASK.system) + estimated_tokens(ASK.prompt)
LILAC = ChatReply(text="Lilac.", model="m", input_tokens=30, output_tokens=10)


def budget(*, calls: int = 10, tokens: int = 10_000, clock: FakeClock | None = None, minutes: int = 5) -> Budget:
    clock = clock or FakeClock()
    return Budget(calls=calls, tokens=tokens, clock=clock, until=clock.now() + timedelta(minutes=minutes))


def test_secrets_and_personal_data_leave_neither_in_the_prompt_nor_in_the_system_text() -> None:
    model = FakeChatModel("ok")
    said = "Mail zoe@example.org, key sk-proj-Zx81Qm4Lk09Vb7Tn2Rw6Yp3Hs5Dc8Fj0"
    GuardedChat(model, pii=True).complete(ChatRequest(system=said, prompt=said, max_tokens=50, purpose="test@1"))
    (sent,) = model.requests
    for text in (sent.system, sent.prompt):
        assert "zoe@example.org" not in text
        assert "Zx81Qm4Lk09Vb7" not in text
        assert "[email 1]" in text


def test_personal_data_goes_when_the_operator_wants_no_redaction_of_it_but_secrets_never() -> None:
    model = FakeChatModel("ok")
    said = "Mail zoe@example.org, key sk-proj-Zx81Qm4Lk09Vb7Tn2Rw6Yp3Hs5Dc8Fj0"
    GuardedChat(model, pii=False).complete(ChatRequest(system="", prompt=said, max_tokens=50, purpose="test@1"))
    assert "zoe@example.org" in model.requests[0].prompt
    assert "Zx81Qm4Lk09Vb7" not in model.requests[0].prompt


def test_without_a_budget_everything_is_asked() -> None:
    guarded = GuardedChat(FakeChatModel(default=LILAC), pii=True)
    assert [guarded.complete(ASK) for _ in range(50)] == [LILAC] * 50


def test_calls_beyond_the_budget_are_not_made() -> None:
    model = FakeChatModel(default=LILAC)
    run = budget(calls=2)
    chat = GuardedChat(model, pii=True).within(run)
    for _ in range(2):
        chat.complete(ASK)
    with pytest.raises(Unavailable, match="budget"):
        chat.complete(ASK)
    assert len(model.requests) == 2
    assert run.spent == Spent(calls=2, tokens=80)


def test_tokens_beyond_the_budget_are_not_asked_for() -> None:
    model = FakeChatModel(default=LILAC)
    run = budget(tokens=500)
    chat = GuardedChat(model, pii=True).within(run)
    refused = 0
    for _ in range(20):
        try:
            chat.complete(ASK)
        except Unavailable:
            refused += 1
    assert refused == 20 - len(model.requests) > 0
    assert run.spent.tokens <= 500
    assert run.spent.tokens == 40 * len(model.requests)


def test_reply_is_given_no_more_room_than_is_left() -> None:
    model = FakeChatModel(default=LILAC)
    GuardedChat(model, pii=True).within(budget(tokens=ASKED_TOKENS + 300)).complete(ASK)
    assert model.requests[0].max_tokens == 300


def test_too_little_room_for_a_reply_is_no_room() -> None:
    model = FakeChatModel(default=LILAC)
    with pytest.raises(Unavailable, match="budget"):
        GuardedChat(model, pii=True).within(budget(tokens=ASKED_TOKENS + LEAST_REPLY_TOKENS - 1)).complete(ASK)
    assert model.requests == []


def test_budget_ends_with_its_time() -> None:
    clock = FakeClock()
    chat = GuardedChat(FakeChatModel(default=LILAC), pii=True).within(budget(clock=clock))
    chat.complete(ASK)
    clock.set(clock.now() + timedelta(minutes=5))
    with pytest.raises(Unavailable, match="time"):
        chat.complete(ASK)


def test_model_that_tells_no_tokens_is_estimated() -> None:
    run = budget()
    reply = ChatReply(text="x" * 300, model="m")
    GuardedChat(FakeChatModel(reply), pii=True).within(run).complete(ASK)
    assert run.spent == Spent(calls=1, tokens=ASKED_TOKENS + 100)


def test_call_that_fails_gives_its_tokens_back_one_that_is_refused_keeps_the_question() -> None:
    run = budget()
    chat = GuardedChat(FakeChatModel(Unavailable("away"), Invalid("refused")), pii=True).within(run)
    for error in (Unavailable, Invalid):
        with pytest.raises(error):
            chat.complete(ASK)
    assert run.spent == Spent(calls=2, tokens=ASKED_TOKENS)


def test_threads_together_stay_within_the_budget() -> None:
    model = FakeChatModel(default=LILAC)
    run = budget(calls=1000, tokens=2000)
    chat = GuardedChat(model, pii=True).within(run)
    barrier = threading.Barrier(8)

    def ask() -> None:
        barrier.wait(10)
        for _ in range(20):
            try:
                chat.complete(ASK)
            except Unavailable:
                return

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert run.spent == Spent(calls=len(model.requests), tokens=40 * len(model.requests))
    assert 1000 < run.spent.tokens <= 2000


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 2), ("翡翠", 2), ("翡翠abc", 3)])
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens
