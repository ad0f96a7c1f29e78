import pytest

from plugin.terminal import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße aus 東京 🙂", "Grüße aus 東京 🙂"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("red \x1b[31malert", "red �[31malert"),
        ("turned \u202earound", "turned �around"),
        ("no\x00thing\x07", "no�thing�"),
    ],
)
def test_text_of_others_can_not_steer_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
