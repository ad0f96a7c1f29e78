"""Numbering plans give the answers of phonenumbers, which reads each number by itself; here both are asked."""

import random

import phonenumbers
import pytest

from memory_core.privacy.numbering_plans import is_possible, is_valid
from memory_core.privacy.personal_data import find_personal_data

CODES = sorted(str(code) for code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
KINDS = range(11)
DRAWN = 8


def _says_valid(digits: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(digits, region))
    except phonenumbers.NumberParseException:
        return False


def _says_possible(digits: str) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(f"+{digits}", None))
    except phonenumbers.NumberParseException:
        return False


def _drawn(draw: random.Random, size: int) -> str:
    return "".join(draw.choice("0123456789") for _ in range(size))


def _dialled(region: str, draw: random.Random) -> set[str]:
    """Digits as dialled in a region: real numbers of each kind, the same with other ends, and any digits."""
    dialled: set[str] = set()
    for kind in KINDS:
        example = phonenumbers.example_number_for_type(region, kind)
        if example is not None:
            digits = phonenumbers.national_significant_number(example)
            kept = draw.randrange(len(digits))
            dialled |= {digits, f"0{digits}", f"0{digits[:kept]}{_drawn(draw, len(digits) - kept)}"}
    dialled |= {f"0{_drawn(draw, draw.randint(6, 14))}" for _ in range(DRAWN)}
    return dialled | {_drawn(draw, draw.randint(7, 15)) for _ in range(DRAWN)}


@pytest.mark.parametrize("region", sorted(phonenumbers.SUPPORTED_REGIONS))
def test_a_number_is_valid_in_a_region_when_the_library_says_so(region: str) -> None:
    dialled = _dialled(region, random.Random(region))
    judged = {digits: is_valid(digits, region) for digits in dialled}
    assert judged == {digits: _says_valid(digits, region) for digits in dialled}
    assert any(judged.values())


@pytest.mark.parametrize("code", CODES)
def test_a_number_is_possible_when_the_library_says_so(code: str) -> None:
    draw = random.Random(code)
    dialled = {f"{code}{'0' * (size % 2)}{_drawn(draw, size)}" for size in range(4, 13) for _ in range(3)}
    assert {digits: is_possible(digits) for digits in dialled} == {digits: _says_possible(digits) for digits in dialled}


@pytest.mark.parametrize("digits", ["0491234567", "2101234567", "9991234567", "00000000", "49000000000"])
def test_odd_codes_are_judged_as_the_library_does(digits: str) -> None:
    assert is_possible(digits) == _says_possible(digits)


def test_a_north_american_shape_is_always_possible_there() -> None:
    draw = random.Random(1)
    for _ in range(500):
        digits = f"{draw.randint(2, 9)}{_drawn(draw, 9)}"
        for number in (digits, f"1{digits}"):
            assert phonenumbers.is_possible_number(phonenumbers.parse(number, "US"))


@pytest.mark.parametrize(
    "text",
    ["+٤٩ ٣٠ ١٢٣٤٥٦٧", "+49\u00a030\u00a01234567", "+49 30 1234\u2011567", "(030) 1234-5678", "00 49 (0)30 1234567"],
)
def test_a_number_is_found_in_any_script_and_with_any_space(text: str) -> None:
    assert [(span.start, span.end) for span in find_personal_data(text)] == [(0, len(text))]
