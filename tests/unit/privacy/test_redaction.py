import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.privacy.redaction import redact
from memory_core.privacy.spans import SensitiveKind

LONGEST_TURN_CHARS = 32_000
# Far above what it takes (about 20 ms), far below what backtracking would (minutes).
CEILING_S = 2.0


def test_the_same_value_has_the_same_number() -> None:
    result = redact("Write to ana@example.org or bo@example.org, best ANA@example.org.")
    assert result.text == "Write to [email 1] or [email 2], best [email 1]."
    assert result.counts == {SensitiveKind.EMAIL: 3}


def test_placeholders_that_are_there_keep_their_numbers() -> None:
    assert redact("[email 1] wrote to zoe@example.org").text == "[email 1] wrote to [email 2]"


def test_personal_data_stays_when_the_setting_is_off_and_secrets_do_not() -> None:
    text = redact("ana@example.org, +49 170 1234567, password: tulip+42", pii=False).text
    assert text == "ana@example.org, +49 170 1234567, password: [password 1]"


def test_host_and_database_of_a_connection_string_stay_readable() -> None:
    text = "postgresql+psycopg://ana:s3cret-x@db.example.org:5432/shop?sslmode=require"
    assert redact(text).text == "postgresql+psycopg://ana:[password 1]@db.example.org:5432/shop?sslmode=require"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call +49 170 1234567 tonight", "Call [phone 1] tonight"),
        ("my cell is (415) 555-2671, ok", "my cell is [phone 1], ok"),
        ("415-555-2671", "[phone 1]"),
        ("Ruf mich an: 0170 1234567", "Ruf mich an: [phone 1]"),
        ("Mon portable : 06 12 34 56 78.", "Mon portable : [phone 1]."),
        ("我的手机是 138 0013 8000", "我的手机是 [phone 1]"),
        ("Ms. Lee, ext. included: +1-212-456-7890 x123", "Ms. Lee, ext. included: [phone 1]"),
        ("SSN 536-90-4399", "SSN [ssn 1]"),
        ("social security number 536904399", "social security number [ssn 1]"),
        ("pay with 4111 1111 1111 1111 please", "pay with [card 1] please"),
        ("5500-0000-0000-0004", "[card 1]"),
        ("amex 378282246310005", "amex [card 1]"),
        ("mail ana.b+news@mail.example.co.uk!", "mail [email 1]!"),
        ("ana [at] example [dot] org", "[email 1]"),
        ("<mailto:ana@example.org>", "<mailto:[email 1]>"),
    ],
)
def test_personal_data_is_replaced(text: str, expected: str) -> None:
    assert redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Version 10.15.7 and 1.2.3-4, build 20240507.1",
        "on 2023-05-07 at 12:30:45, until 07.05.2023",
        "from 2019-2023 and 2023/05/07",
        "text me on 12/05/2023 at 10:30",
        "call me at 14:30 on 2023-05-07",
        "It costs $1,234,567.89 or 1.234.567,89 EUR",
        "192.168.100.200:8080, 10.0.0.1/24 and port 65535",
        "order number 12345678, invoice 2023-1234567",
        "id 1234567890, chat -1001234567890",
        "message id 1209988776655443322",
        "unix time 1700000000 and 1700000000000",
        "ISBN 978-3-16-148410-0",
        "123e4567-e89b-12d3-a456-426614174000",
        "commit 3f2a9c1b7d4e5f60718293a4b5c6d7e8f9012345",
        "48.856613, 2.352222",
        "card 4111 1111 1111 1112 fails the checksum",
        "lodash@4.17.21 and logo@2x.png",
        "@ana@mastodon.example and git@github.com:a/b.git",
        "for i in range(1000000): total += 1234567",
        "the score was 102-98, then 3-2, 7-5 6-4",
        "rooms 101 102 103 104",
        "Call the function 1000000 times to reach 10000000 users",
        "IBAN DE89 3704 0044 0532 0130 00",
        "kref://observatory/dome-control/shutter-protocol.design?r=2",
    ],
)
def test_what_is_not_personal_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "1 ", "1", "\n", "a" * 63 + ".", "a.b@", "@a.b", "+1 (2) ", "x-y_z.", "[email 1]", "密码"),
        *("0176 1234567 ", "0999 999 999 99\n", "00 49 30 1234567\n", "(212) 555-0142, "),
        *("password ", "password is ", "key=", "_key: ", "seed phrase abc ", "sk-", "Bearer a", "export A="),
        *(
            "mysql ",
            "name: KEY value: ",
            "a1 as ",
            "<password>",
            "pw=",
            "Cookie: a=",
            "://a:b",
            "eyJa.",
            "-----BEGIN PRIVATE KEY-----\n",
        ),
    ],
)
def test_time_stays_linear_on_texts_made_to_be_slow(piece: str) -> None:
    text = (piece * (LONGEST_TURN_CHARS // len(piece) + 1))[:LONGEST_TURN_CHARS]
    begin = time.process_time()
    redact(text)
    assert time.process_time() - begin < CEILING_S


@given(st.text(alphabet=st.sampled_from(list("ab1 3@.:=-[]\"'pqsk/\n")) | st.characters(), max_size=200))
def test_any_text_can_be_redacted_twice_without_a_change(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_key_never_survives_whatever_stands_around_it(before: str, after: str) -> None:
    key = "g" + "hp_" + "a1B2c3D4" * 5
    assert key not in redact(f"{before} {key} {after}").text
