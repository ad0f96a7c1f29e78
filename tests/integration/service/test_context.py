"""The context engine on the wire: a window instead of a summary, and what left it comes back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memory_core.fence import FENCE_OPEN
from tests.integration.cores import ANAS
from tests.integration.service.server import ANA, BO, NOBODY, Service

NEEDLE = "The key of the telescope hut hangs behind the zinc bucket."
QUESTION = "Where does the key of the telescope hut hang?"


def exchange(number: int, *, user: str | None = None, at: str | None = None) -> list[dict[str, Any]]:
    said = {"role": "user", "content": user or f"Tell me about the weather on day {number}.", "turnKey": f"k{number}"}
    if at:
        said["at"] = at
    return [said, {"role": "assistant", "content": f"Day {number} was mild, with a little wind from the sea."}]


def transcript(exchanges: int, *, needle_at: int = 3) -> list[dict[str, Any]]:
    return [
        message
        for number in range(exchanges)
        for message in exchange(number, user=NEEDLE if number == needle_at else None)
    ]


def post(service: Service, call: str, **body: Any) -> dict[str, Any]:
    answer = service.client.post(f"/v1/context/{call}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def commit_all(service: Service, messages: Sequence[Mapping[str, Any]], *, session: Mapping[str, Any] = ANA) -> None:
    for start in range(0, len(messages), 2):
        key = messages[start]["turnKey"]
        done = post(service, "commit-turn", session=session, advancementKey=key, messages=messages[start : start + 2])
        assert done == {"status": "committed"}


def assemble(service: Service, messages: Sequence[Mapping[str, Any]], **fields: Any) -> dict[str, Any]:
    return post(service, "assemble", session=fields.pop("session", ANA), messages=messages, **fields)


def test_a_turn_is_committed_once(service: Service) -> None:
    body: dict[str, Any] = {"session": ANA, "advancementKey": "a1", "messages": exchange(1)}
    assert post(service, "commit-turn", **body) == {"status": "committed"}
    assert post(service, "commit-turn", **body) == {"status": "duplicate"}
    assert len(service.world.core.forgetting.buffered([ANAS])) == 2


def test_hooks_and_engine_never_keep_a_turn_twice(service: Service) -> None:
    service.turn("The boiler was replaced on Monday.", key="k7")
    done = post(
        service,
        "commit-turn",
        session=ANA,
        advancementKey="k7",
        messages=exchange(7, user="The boiler was replaced on Monday."),
    )
    assert done == {"status": "duplicate"}


def test_a_conversation_that_began_before_is_taken_over_once(service: Service) -> None:
    service.turn("Tell me about the weather on day 0.", key="k0")
    body: dict[str, Any] = {"session": ANA, "messages": transcript(4)}
    assert post(service, "bootstrap", **body) == {"bootstrapped": True, "imported": 3}
    assert post(service, "bootstrap", **body) == {"bootstrapped": True, "imported": 0}


def test_without_a_compaction_everything_stays(service: Service) -> None:
    answer = assemble(service, transcript(10), tokenBudget=100_000)
    assert answer["keepFrom"] == 0
    assert "contextAddition" not in answer
    assert answer["estimatedTokens"] > 100


def test_half_an_emoji_disturbs_no_window(service: Service) -> None:
    messages = transcript(20)
    messages[2]["content"] = "cut in the middle: \ud83d"
    messages[3]["content"] = [{"type": "text", "text": "\ude00 and here"}]
    body = {"session": ANA, "messages": messages, "tokenBudget": 2000, "force": True}
    # As JavaScript sends halves of a pair: escaped.
    for call in ("bootstrap", "compact", "assemble"):
        answer = service.client.post(
            f"/v1/context/{call}", content=json.dumps(body), headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 200, (call, answer.text)
    assert answer.json()["keepFrom"] == len(messages) - 6


class TestCompaction:
    @pytest.fixture
    def messages(self, service: Service) -> list[dict[str, Any]]:
        messages = transcript(30)
        commit_all(service, messages)
        return messages

    def test_what_the_window_dropped_comes_back_before_it_is_consolidated(
        self, service: Service, messages: list[dict[str, Any]]
    ) -> None:
        done = post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        assert (done["ok"], done["compacted"], done["archived"]) == (True, True, len(messages) - 6)
        assert done["tokensAfter"] < done["tokensBefore"]
        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=2000)
        assert answer["keepFrom"] == len(messages) - 6
        assert NEEDLE in answer["contextAddition"]
        assert answer["contextAddition"].startswith(FENCE_OPEN)

    def test_and_after_it(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        service.world.consolidate()
        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=2000)
        assert answer["contextAddition"].count(NEEDLE) == 1

    def test_the_tail_is_not_said_twice(self, service: Service, messages: list[dict[str, Any]]) -> None:
        last = exchange(99, user="The spare bulb lies in drawer 1234.")
        commit_all(service, last)
        messages = [*messages, *last]
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        service.world.consolidate()
        answer = assemble(service, messages, prompt="Where is the spare bulb?", tokenBudget=2000)
        assert "drawer 1234" not in answer.get("contextAddition", "")

    def test_consolidation_is_owed_at_once(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        service.world.run_jobs()
        assert any(NEEDLE.rstrip(".") in text for text in service.world.texts())

    def test_a_budget_that_is_too_small_moves_the_window_by_itself(
        self, service: Service, messages: list[dict[str, Any]]
    ) -> None:
        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=400)
        assert answer["keepFrom"] > 0
        assert answer["estimatedTokens"] <= 400
        assert NEEDLE in answer["contextAddition"]

    @pytest.mark.parametrize("budget", [600, 700, 1000])
    def test_a_block_of_any_script_keeps_to_the_budget(self, service: Service, *, budget: int) -> None:
        said = [
            message
            for number in range(12)
            for message in exchange(
                number, user=f"花园里第{number}棵苹果树是祖父亲手种下的，每年秋天都结很多果子。" * 2
            )
        ]
        commit_all(service, said)
        post(service, "compact", session=ANA, messages=said, tokenBudget=100_000, force=True)

        answer = assemble(service, said, prompt="祖父亲手种下的苹果树结果子吗？", tokenBudget=budget)

        assert answer["estimatedTokens"] <= budget
        assert "苹果树" in answer["contextAddition"]

    def test_a_window_that_is_nearly_full_leaves_room_for_memory(
        self, service: Service, messages: list[dict[str, Any]]
    ) -> None:
        whole = assemble(service, messages)["estimatedTokens"]

        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=int(whole * 1.04))

        assert answer["keepFrom"] > 0
        assert NEEDLE in answer["contextAddition"]

    def test_it_fits_already(self, service: Service, messages: list[dict[str, Any]]) -> None:
        done = post(service, "compact", session=ANA, messages=messages, tokenBudget=100_000, force=False)
        assert (done["compacted"], done["reason"]) == (False, "it fits already")

    def test_a_forked_transcript_is_whole_again(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        edited = [{"role": "user", "content": "Another beginning."}, *messages[1:]]
        assert assemble(service, edited, tokenBudget=100_000)["keepFrom"] == 0
        assert assemble(service, messages, tokenBudget=100_000)["keepFrom"] == len(messages) - 6

    @pytest.mark.parametrize("other", [BO, NOBODY, {**ANA, "sessionKey": "agent:main:other"}])
    def test_a_window_is_one_person_s_in_one_session(
        self, service: Service, *, messages: list[dict[str, Any]], other: Mapping[str, Any]
    ) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        answer = assemble(service, messages, session=other, tokenBudget=100_000)
        assert answer["keepFrom"] == 0

    @pytest.mark.parametrize("other", [BO, NOBODY])
    def test_another_person_gets_nothing_of_the_archive(
        self, service: Service, *, messages: list[dict[str, Any]], other: Mapping[str, Any]
    ) -> None:
        post(service, "compact", session=other, messages=messages, tokenBudget=2000, force=True)
        answer = assemble(service, messages, session=other, prompt=QUESTION, tokenBudget=2000)
        assert "contextAddition" not in answer

    def test_a_reset_gives_up_the_window(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        service.post("/v1/sessions/reset", session=dict(ANA), reason="new")
        assert assemble(service, messages, tokenBudget=100_000)["keepFrom"] == 0

    def test_recall_that_is_away_costs_memory_only(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        service.world.embedder.away = "the embedder is away"
        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=2000)
        assert answer["keepFrom"] == len(messages) - 6
        assert answer["degraded"] is True

    def test_forgotten_words_leave_the_archive(self, service: Service, messages: list[dict[str, Any]]) -> None:
        post(service, "compact", session=ANA, messages=messages, tokenBudget=2000, force=True)
        assert NEEDLE in assemble(service, messages, prompt=QUESTION, tokenBudget=2000)["contextAddition"]
        service.tool("memory_forget", sessionKey=ANA["sessionKey"], confirm=True)
        answer = assemble(service, messages, prompt=QUESTION, tokenBudget=2000)
        assert NEEDLE not in answer.get("contextAddition", "")


def test_words_of_another_sender_are_not_this_one_s(service: Service) -> None:
    messages = exchange(1, user="My locker code is 4711.")
    messages[0]["senderId"] = "bo"
    assert post(service, "commit-turn", session=ANA, advancementKey="x", messages=messages) == {"status": "committed"}
    assert service.world.core.forgetting.buffered([ANAS]) == []


@pytest.mark.parametrize(
    ("call", "body", "field"),
    [
        ("assemble", {"messages": "all"}, "messages"),
        ("assemble", {"messages": [{"content": "x"}]}, "messages.0.role"),
        ("commit-turn", {"messages": []}, "advancementKey"),
        ("compact", {"messages": [], "force": "maybe"}, "force"),
    ],
)
def test_a_wrong_field_is_named(service: Service, *, call: str, body: dict[str, Any], field: str) -> None:
    answer = service.client.post(f"/v1/context/{call}", json={"session": ANA, **body})
    assert field in service.error(answer, status=422, code="invalid")
