"""Known counts of tokenizers in use: English prose 4.0 to 4.7 characters a token, code 2.5 to 3.5, Chinese about
one token a character. The estimate may be high by half, and low by a tenth at most.
"""

import pytest

from memory_core.context.messages import read_message
from memory_core.context.tokens import MEDIA_TOKENS, estimate_tokens

PROSE = (
    "The observatory opens its dome at nine in the evening, and whoever is on duty checks the wind first, because a "
    "gust above twelve metres a second has bent the shutter before."
)  # 34 words
CODE = 'if (retries > 3) { log.warn("giving up", { host, port: 5432 }); return null; }'  # 28 tokens of o200k and cl100k
CHINESE = "天文台晚上九点打开圆顶，值班的人先检查风速。"  # 22 characters


@pytest.mark.parametrize(
    ("text", "counted"),
    [(PROSE, 37), (CODE, 27), (CHINESE, 21)],
    ids=["prose", "code", "chinese"],
)
def test_estimates_are_high_rather_than_low(text: str, counted: int) -> None:
    assert 0.9 * counted <= estimate_tokens(text) <= 1.5 * counted


def test_other_scripts_take_more_than_english() -> None:
    russian = "Обсерватория открывает купол в девять вечера"
    assert estimate_tokens(russian) > len(russian) / 3


def test_an_empty_text_takes_nothing() -> None:
    assert estimate_tokens("") == 0


def test_hidden_parts_count_and_are_no_words() -> None:
    parts = [{"type": "thinking", "thinking": PROSE}, {"type": "text", "text": "Yes."}, {"type": "image", "data": "x"}]
    message = read_message({"role": "assistant", "content": parts}, at=None)
    assert message.text == "Yes."
    assert message.tokens > MEDIA_TOKENS + estimate_tokens(PROSE)


def test_what_the_caller_left_out_counts() -> None:
    short = read_message({"role": "toolResult", "content": "cut"}, at=None, omitted_chars=3000)
    assert short.tokens >= 1000
