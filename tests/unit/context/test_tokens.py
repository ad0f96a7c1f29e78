"""No tokenizer of a chat model is here, so the estimate is held against rules of thumb: English prose 4.0 to 4.7
characters a token, code 2.5 to 3.5, Chinese about one token a character. It may be high by half, low by a tenth.
"""

import pytest

from memory_core.context.messages import read_message
from memory_core.context.tokens import MEDIA_TOKENS, estimate_tokens

PROSE = (
    "The observatory opens its dome at nine in the evening, and whoever is on duty checks the wind first, because a "
    "gust above twelve metres a second has bent the shutter before."
)
CODE = 'if (retries > 3) { log.warn("giving up", { host, port: 5432 }); return null; }'
CHINESE = "天文台晚上九点打开圆顶，值班的人先检查风速。"


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [(PROSE, 1 / 4.7, 1 / 4.0), (CODE, 1 / 3.5, 1 / 2.5), (CHINESE, 0.9, 1.1)],
    ids=["prose", "code", "chinese"],
)
def test_estimates_are_high_rather_than_low(text: str, *, fewest: float, most: float) -> None:
    assert 0.9 * fewest * len(text) <= estimate_tokens(text) <= 1.5 * most * len(text)


def test_other_scripts_take_more_than_english() -> None:
    russian = "Обсерватория открывает купол в девять вечера"
    assert estimate_tokens(russian) > len(russian) / 3


def test_an_empty_text_takes_nothing() -> None:
    assert estimate_tokens("") == 0


def test_hidden_parts_count_and_are_no_words() -> None:
    parts = [{"type": "thinking", "thinking": PROSE}, {"type": "text", "text": "Yes."}, {"type": "image", "data": "x"}]
    message = read_message("assistant", parts, at=None)
    assert message.text == "Yes."
    assert message.tokens > MEDIA_TOKENS + estimate_tokens(PROSE)


def test_what_the_caller_left_out_counts() -> None:
    short = read_message("toolResult", "cut", at=None, omitted_chars=3000)
    assert short.tokens >= 1000
