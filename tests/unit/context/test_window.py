from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.context.messages import Message, read_message, total_tokens
from memory_core.context.window import Rule, compacted, edge_at, find_window
from memory_core.settings import CompactionMode

HYBRID = Rule(mode=CompactionMode.HYBRID, protect_tail=6)
FULL = Rule(mode=CompactionMode.FULL, protect_tail=6)
PLENTY = 1_000_000


def user(text: str) -> Message:
    return read_message("user", text, at=None)


def assistant(text: str) -> Message:
    return read_message("assistant", text, at=None)


def call(name: str = "read") -> Message:
    part = {"type": "toolCall", "id": "1", "name": name, "arguments": {"path": "notes.txt"}}
    return read_message("assistant", [part], at=None)


def result(text: str = "the file") -> Message:
    return read_message("toolResult", [{"type": "text", "text": text}], at=None)


def chat(exchanges: int, *, first: int = 0) -> list[Message]:
    return [
        message
        for number in range(first, first + exchanges)
        for message in (user(f"question {number}"), assistant(f"answer {number}"))
    ]


def shape(messages: Sequence[Message], begin: int) -> list[str]:
    return [message.role for message in messages[begin:]]


class TestCompaction:
    def test_hybrid_keeps_the_protected_tail(self) -> None:
        messages = chat(20)
        assert compacted(messages, start=0, rule=HYBRID, budget=PLENTY) == len(messages) - 6

    def test_the_tail_goes_back_to_the_start_of_its_exchange(self) -> None:
        messages = [*chat(5), user("read it"), call(), result(), call(), result(), call(), result(), assistant("done")]
        begin = compacted(messages, start=0, rule=HYBRID, budget=PLENTY)
        assert messages[begin].text == "read it"
        assert shape(messages, begin).count("toolResult") == 3

    def test_full_keeps_nothing_of_what_was_answered(self) -> None:
        messages = chat(20)
        assert compacted(messages, start=0, rule=FULL, budget=PLENTY) == len(messages)

    @pytest.mark.parametrize("rule", [HYBRID, FULL])
    def test_the_exchange_in_progress_stays_whatever_it_takes(self, rule: Rule) -> None:
        messages = [*chat(20), user("and now? " * 50), call(), result("long " * 500)]
        begin = compacted(messages, start=0, rule=rule, budget=10)
        assert messages[begin].text.startswith("and now?")

    def test_a_tail_beyond_the_budget_shrinks_by_whole_exchanges(self) -> None:
        messages = [*chat(10), *(message for n in range(3) for message in (user(f"q{n}"), assistant("long " * 200)))]
        budget = total_tokens(messages[-2:])
        assert compacted(messages, start=0, rule=HYBRID, budget=budget) == len(messages) - 2

    def test_it_never_moves_backwards(self) -> None:
        messages = chat(20)
        assert compacted(messages, start=38, rule=HYBRID, budget=PLENTY) == 38

    @given(
        st.lists(st.sampled_from(["user", "assistant", "call", "result"]), max_size=40),
        st.integers(0, 12),
        st.integers(1, 400),
        st.sampled_from([HYBRID, FULL]),
    )
    def test_a_window_begins_with_somebody_speaking_and_keeps_calls_with_results(  # noqa: PLR0917 hypothesis
        self, roles: list[str], start: int, budget: int, rule: Rule
    ) -> None:
        made = {"user": user("ask"), "assistant": assistant("say"), "call": call(), "result": result()}
        messages = [made[role] for role in roles]
        start = min(start, len(messages))
        begin = compacted(messages, start=start, rule=rule, budget=budget)
        assert start <= begin <= len(messages)
        if start < begin < len(messages):
            assert messages[begin].begins_exchange

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["user", "assistant", "toolResult"]),
                st.sampled_from(["", "短い文です。", "word " * 30]),
            ),
            max_size=30,
        ),
        st.integers(0, 12),
        st.integers(0, 900),
    )
    def test_as_many_whole_exchanges_stay_as_fit(  # noqa: PLR0917 hypothesis
        self, said: list[tuple[str, str]], start: int, budget: int
    ) -> None:
        answered = [*said, ("user", "and?"), ("assistant", "That is it.")]
        messages = [read_message(role, text, at=None) for role, text in answered]
        start = min(start, len(messages))
        begins = [index for index in range(start, len(messages)) if messages[index].begins_exchange]
        protected = max(len(messages) - HYBRID.protect_tail, start)
        wanted = max((index for index in begins if index <= protected), default=start)
        fitting = [at for at in (wanted, *begins) if at >= wanted and total_tokens(messages[at:]) <= budget]
        begin = compacted(messages, start=start, rule=HYBRID, budget=budget)
        assert begin == min(fitting, default=len(messages))


class TestEdge:
    def test_a_window_is_found_again_when_the_transcript_grew(self) -> None:
        messages = chat(10)
        edge = edge_at(messages, 14)
        assert find_window([*messages, *chat(3, first=10)], edge).begin == 14

    def test_an_empty_window_is_found_again(self) -> None:
        messages = chat(10)
        edge = edge_at(messages, len(messages))
        assert find_window([*messages, *chat(3, first=10)], edge).begin == len(messages)

    def test_nothing_remembered_means_no_window(self) -> None:
        assert find_window(chat(10), None).begin == 0

    @pytest.mark.parametrize(
        "other",
        [
            chat(6),
            [user("question 0, corrected"), *chat(10)[1:]],
            [*chat(10)[:14], user("another branch"), *chat(3)],
            chat(12, first=1),
            [],
        ],
        ids=["shortened", "edited", "forked", "rotated", "empty"],
    )
    def test_a_transcript_that_says_something_else_has_no_window(self, other: list[Message]) -> None:
        assert find_window(other, edge_at(chat(10), 14)).begin == 0

    def test_shortened_tool_output_and_reasoning_keep_the_window(self) -> None:
        thinking = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "fine"}]
        old = [
            user("read"),
            call(),
            result("all of it"),
            read_message("assistant", thinking, at=None),
        ]
        now = [user("read"), call(), result("[cut]"), assistant("fine")]
        assert find_window([*now, *chat(2)], edge_at([*old, *chat(2)], 4)).begin == 4

    def test_a_transcript_that_is_cut_already_goes_on_from_its_edge(self) -> None:
        messages = chat(20)
        edge = edge_at(messages, 10)
        seen_again = messages[10:]
        window = find_window(seen_again, edge)
        assert (window.begin, window.is_windowed) == (0, True)
        assert edge_at(seen_again, 6, base=window.base) == edge_at(messages, 16)
