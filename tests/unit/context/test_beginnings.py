from hypothesis import given
from hypothesis import strategies as st

from memory_core.context.beginnings import Beginnings, beginning_hash
from memory_core.context.messages import Message, read_message

CONTENTS: st.SearchStrategy[object] = st.one_of(
    st.text(max_size=12),
    st.lists(
        st.one_of(
            st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=12)}),
            st.fixed_dictionaries({"type": st.just("toolCall"), "name": st.sampled_from(["read", "write", "\ud83d"])}),
            st.just({"type": "image"}),
        ),
        max_size=3,
    ),
)
MESSAGES = st.lists(
    st.builds(read_message, st.sampled_from(["user", "assistant", "toolResult"]), CONTENTS, at=st.none()), max_size=8
)


def say(role: str, text: str) -> Message:
    return read_message(role, text, at=None)


@given(st.lists(MESSAGES, max_size=6), st.sampled_from(["", "00ff"]))
def test_a_hash_is_the_same_whatever_was_met_before(transcripts: list[list[Message]], after: str) -> None:
    beginnings = Beginnings()
    for messages in [*transcripts, *transcripts]:
        assert beginnings.hash_of(messages, after=after) == beginning_hash(messages, after=after)
        assert beginnings.hash_of(messages) == beginning_hash(messages)


@given(MESSAGES, MESSAGES)
def test_a_hash_goes_on_from_what_came_before(first: list[Message], then: list[Message]) -> None:
    beginnings = Beginnings()
    assert beginnings.hash_of(then, after=beginnings.hash_of(first)) == beginnings.hash_of([*first, *then])


def test_where_one_message_ends_counts() -> None:
    beginnings = Beginnings()
    hashes = {
        beginnings.hash_of(messages)
        for messages in (
            [say("user", "ab"), say("user", "c")],
            [say("user", "a"), say("user", "bc")],
            [say("user", "abc")],
            [say("assistant", "abc")],
        )
    }
    assert len(hashes) == 4


def test_shortened_answers_of_tools_leave_the_hash_as_it_was() -> None:
    beginnings = Beginnings()
    whole = beginnings.hash_of([say("user", "read it"), say("toolResult", "all of it")])
    assert beginnings.hash_of([say("user", "read it"), say("toolResult", "[cut]")]) == whole


def test_many_beginnings_are_hashed_right_though_not_all_are_remembered() -> None:
    beginnings = Beginnings()
    met = [[say("user", f"question {number}")] for number in range(1500)]
    assert len({beginnings.hash_of(messages) for messages in met}) == len(met)
    assert [beginnings.hash_of(messages) for messages in met[:5]] == [beginning_hash(messages) for messages in met[:5]]
