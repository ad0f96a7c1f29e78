"""Consolidation with a chat model: statements with their maker, exactly once, and never a turn lost to a model."""

import json
from pathlib import Path

import pytest

from memory_core.errors import Unavailable
from memory_core.forgetting.service import Selection
from memory_core.store.buffering import BufferRepository
from memory_core.values import ChatRequest
from tests.fakes.chat_model import FakeChatModel
from tests.integration.cores import ANAS, World, opened

FACTS = ("My aunt Solveig repairs accordions in Bergen", "My boat Halcyon lies in Kiel")
BY_MODEL = "extract@1:fake/model"


class PowerCut(BaseException):
    """Ends the work where it is, as a kill does: nothing on the way catches it."""


def echo(request: ChatRequest) -> str:
    """A model that takes every statement of a user as it is, with a mark that shows it was the model."""
    lines = [json.loads(line) for line in request.prompt.splitlines()]
    users = [line for line in lines if line["role"] == "user" and "turn" in line]
    statements = [
        {"turn": line["turn"], "text": f"{line['text'].rstrip('.')}!", "kind": "fact", "date": None, "confidence": 1}
        for line in users
    ]
    return json.dumps({"statements": statements})


def tell(world: World) -> None:
    for number, fact in enumerate(FACTS):
        world.say(fact, key=f"t{number}")


def makers(world: World) -> list[tuple[str, str | None]]:
    return sorted((memory.text, memory.made_by) for memory in world.memories() if memory.origin == "user")


def waiting(world: World) -> int:
    with world.core.database.reading() as db:
        return BufferRepository(db).waiting(ANAS).turns


def test_statements_of_a_model_are_kept_with_their_maker_and_their_turn(tmp_path: Path) -> None:
    with opened(tmp_path, chat=FakeChatModel(default=echo)) as world:
        tell(world)
        world.consolidate()
        assert makers(world) == [(f"{fact}!", BY_MODEL) for fact in FACTS]
        sources = [view.sources for view in world.core.library.describe(world.memories())]
        assert sorted(sources) == [("t0",), ("t1",)]
        assert waiting(world) == 0


def test_scope_and_only_redacted_words_go_to_the_model(tmp_path: Path) -> None:
    chat = FakeChatModel(default=echo)
    with opened(tmp_path, chat=chat) as world:
        world.say("My aunt Solveig has the address solveig@example.org", key="t1")
        world.consolidate()
    (request,) = chat.requests
    assert request.scopes == (ANAS,)
    assert "solveig@example.org" not in request.prompt
    assert "[email 1]" in request.prompt


@pytest.mark.parametrize("when", ["before the answer", "after the commit"])
def test_range_that_was_killed_is_done_again_once(tmp_path: Path, *, when: str) -> None:
    def cut(request: ChatRequest) -> str:
        if when == "before the answer":
            raise PowerCut
        return echo(request)

    chat = FakeChatModel(cut, default=echo)
    with opened(tmp_path, chat=chat) as world:
        tell(world)
        with pytest.raises(PowerCut):
            world.core.consolidation.run(ANAS, through=1_000_000, on_batch=_power_cut)
        world.consolidate()
        world.consolidate()
        assert makers(world) == [(f"{fact}!", BY_MODEL) for fact in FACTS]
        assert {memory.count for memory in world.memories()} == {1}


def _power_cut(_: int) -> None:
    raise PowerCut


def test_model_that_words_it_otherwise_the_second_time_doubles_nothing(tmp_path: Path) -> None:
    def away(request: ChatRequest) -> str:
        world.embedder.away = "the embedder is away"
        return echo(request)

    chat = FakeChatModel(away, default=lambda request: echo(request).replace("Bergen!", "Bergen."))
    with opened(tmp_path, chat=chat) as world:
        tell(world)
        with pytest.raises(Unavailable):
            world.consolidate()
        assert world.memories() == []
        world.embedder.away = None
        world.consolidate()
        assert [text for text, _ in makers(world)] == [f"{FACTS[0]}.", f"{FACTS[1]}!"]


def test_words_forgotten_while_the_model_thinks_are_not_learned(tmp_path: Path) -> None:
    def forgetting(request: ChatRequest) -> str:
        turns = world.core.forgetting.buffered([ANAS])
        chosen = tuple(turn.id or 0 for turn in turns if turn.text and "Solveig" in turn.text)
        world.core.forgetting.forget([ANAS], Selection(turn_ids=chosen))
        return echo(request)

    with opened(tmp_path, chat=FakeChatModel(forgetting, default=echo)) as world:
        tell(world)
        world.consolidate()
        assert makers(world) == [(f"{FACTS[1]}!", BY_MODEL)]


def test_model_that_is_away_is_gone_without(tmp_path: Path) -> None:
    with opened(tmp_path, chat=FakeChatModel()) as world:
        tell(world)
        world.consolidate()
        assert makers(world) == [(fact, "rules@1") for fact in FACTS]


def test_without_a_connected_gateway_the_default_goes_without(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        tell(world)
        world.consolidate()
        assert makers(world) == [(fact, "rules@1") for fact in FACTS]


def test_provider_none_asks_nobody(tmp_path: Path) -> None:
    chat = FakeChatModel(default=echo)
    with opened(tmp_path, chat=chat, overrides={"chatModel.provider": "none"}) as world:
        tell(world)
        world.consolidate()
        assert world.core.chat is None
        assert makers(world) == [(fact, "rules@1") for fact in FACTS]
    assert chat.requests == []


@pytest.mark.parametrize("answer", [None, "no JSON", Unavailable("busy")], ids=["away", "unreadable", "busy"])
def test_where_a_model_is_required_turns_wait_for_it(tmp_path: Path, *, answer: str | Exception | None) -> None:
    chat = FakeChatModel(default=answer)
    with opened(tmp_path, chat=chat, overrides={"localSummarization": "off"}) as world:
        tell(world)
        for _ in range(2):
            with pytest.raises(Unavailable):
                world.consolidate()
        assert (world.memories(), waiting(world)) == ([], 4)
        chat.default = echo
        world.consolidate()
        assert makers(world) == [(f"{fact}!", BY_MODEL) for fact in FACTS]
        assert waiting(world) == 0


def test_where_a_model_is_required_and_none_may_be_asked_turns_wait(tmp_path: Path) -> None:
    wanted: dict[str, object] = {"localSummarization": "off", "chatModel.provider": "none"}
    with opened(tmp_path, overrides=wanted) as world:
        tell(world)
        with pytest.raises(Unavailable, match="localSummarization"):
            world.consolidate()
        assert waiting(world) == 4


def test_guarded_model_of_the_core_redacts_whatever_is_asked(tmp_path: Path) -> None:
    chat = FakeChatModel(default="ok")
    with opened(tmp_path, chat=chat) as world:
        assert world.core.chat is not None
        ask = ChatRequest(system="", prompt="Write to solveig@example.org", max_tokens=9, purpose="dream@1")
        world.core.chat.complete(ask)
    assert "solveig@example.org" not in chat.requests[0].prompt
