from datetime import UTC, datetime

from memory_core.context.exchanges import read_exchanges
from memory_core.context.messages import Message, read_message

AT = datetime(2026, 5, 4, 12, tzinfo=UTC)


def message(role: str, content: object, *, key: str | None = None) -> Message:
    return read_message(role, content, at=AT, key=key)


def test_an_exchange_is_the_question_and_the_last_words_of_the_answer() -> None:
    exchanges = read_exchanges(
        [
            message("user", "Which port?", key="k1"),
            message("assistant", [{"type": "text", "text": "Let me look."}, {"type": "toolCall", "name": "read"}]),
            message("toolResult", "5433"),
            message("assistant", "It is 5433."),
        ]
    )
    assert [(exchange.key, exchange.user_text, exchange.assistant_text) for exchange in exchanges] == [
        ("k1", "Which port?", "It is 5433.")
    ]


def test_a_question_without_an_answer_is_no_exchange() -> None:
    assert read_exchanges([message("user", "Hello?"), message("user", "Anyone?"), message("assistant", "  ")]) == []


def test_a_key_is_made_of_what_was_said_when() -> None:
    twice = [message("user", "Again"), message("assistant", "Yes")]
    later = read_message("user", "Again", at=datetime(2026, 5, 5, tzinfo=UTC))
    first, second = read_exchanges(twice)[0].key, read_exchanges([later, message("assistant", "Yes")])[0].key
    assert first == read_exchanges(twice)[0].key
    assert first != second
