"""What numbering plans say of digits: the answers of phonenumbers, from its data, without its way of reading a text.

The library reads each number again for each region that is asked, which takes a hundred times as long as the question.
Here one expression for each region answers, made of the library's patterns and lengths. Where more is to be read than a
trunk prefix (carrier codes, rewritten or international prefixes), the library is asked.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import phonenumbers
from phonenumbers import PhoneMetadata
from phonenumbers.phonemetadata import PhoneNumberDesc

_LONGEST = 17
"""Digits of a number within its country; the library refuses longer ones."""
_CODE_DIGITS = range(1, 4)
_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """One region.

    Attributes:
        code: The country's code.
        sharing: Regions with this code, the main one first.
        is_main: It is the first of them, and no leading digits tell it.
        abroad: What stands before a country's code when one dials from here, or this country's code itself.
        trunk: What stands before a number within the country, captured where it says more.
        viable: The general pattern of its numbers.
        valid: The pattern and length of any type of number.
        leading: Digits that tell the region among those that share its country's code; None when its types tell.
        lengths: Possible lengths.
        longest: The greatest of them.
        local_lengths: Lengths that are possible within an area only.
    """

    code: str
    sharing: tuple[str, ...]
    is_main: bool
    abroad: re.Pattern[str]
    trunk: re.Pattern[str]
    viable: re.Pattern[str]
    valid: re.Pattern[str]
    leading: re.Pattern[str] | None
    lengths: frozenset[int]
    longest: int
    local_lengths: frozenset[int]


def is_possible(digits: str) -> bool:
    """Whether a number that begins with a country's code has a length that the country uses.

    Args:
        digits: ASCII digits without the plus.
    """
    code = next((digits[:size] for size in _CODE_DIGITS if _regions(digits[:size])), "")
    if not code or code.startswith("0"):
        return False
    plan = _plan(_regions(code)[0], code)
    national = _without_trunk(digits[len(code) :], plan)
    if national is None:
        return _ask_possible(digits)
    return len(national) in plan.lengths or len(national) in plan.local_lengths


def is_valid(digits: str, region: str) -> bool:
    """Whether digits, dialled within a region, are a number that its plan assigns.

    Args:
        digits: ASCII digits, with the trunk prefix.
        region: Two letters.
    """
    plan = _plan(region, None)
    prefix = plan.trunk.match(digits)
    if plan.abroad.match(digits) or (prefix and prefix.lastindex):
        return _ask_valid(digits, region)
    national = digits[prefix.end() :] if prefix else digits
    if plan.is_main and plan.valid.fullmatch(national):  # then it is read so
        return True
    if len(plan.sharing) == 1 and not plan.valid.fullmatch(digits):
        return False
    national = _without_trunk(digits, plan) or ""
    for name in plan.sharing:
        shared = _plan(name, None)
        is_assigned = shared.valid.fullmatch(national) is not None
        if shared.leading.match(national) if shared.leading else is_assigned:
            return is_assigned
    return False


def _without_trunk(digits: str, plan: _Plan) -> str | None:
    """A number within its country without its trunk prefix; None when that is for the library to say."""
    prefix = plan.trunk.match(digits)
    if prefix is None:
        national = digits
    elif prefix.lastindex:
        return None
    else:
        national = digits[prefix.end() :]
        is_spoilt = plan.viable.fullmatch(digits) and not plan.viable.fullmatch(national)
        if is_spoilt or not (len(national) in plan.lengths or len(national) > plan.longest):
            national = digits
    return national if len(national) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _regions(code: str) -> tuple[str, ...]:
    return phonenumbers.COUNTRY_CODE_TO_REGION_CODE.get(int(code), ()) if code else ()


@lru_cache(maxsize=512)
def _plan(region: str, code: str | None) -> _Plan:
    """The plan of a region; numbers of no region (`001`) are told by their code."""
    code = code or str(phonenumbers.country_code_for_region(region))
    data = PhoneMetadata.metadata_for_region_or_calling_code(int(code), region)
    if data is None or data.general_desc is None:
        raise LookupError(f"phonenumbers has no data on region {region}")
    types: Iterable[PhoneNumberDesc | None] = (
        *(data.fixed_line, data.mobile, data.toll_free, data.premium_rate, data.shared_cost),
        *(data.personal_number, data.voip, data.pager, data.uan, data.voicemail),
    )
    kinds = "|".join(_expression(kind) for kind in types if kind is not None)
    return _Plan(
        code=code,
        sharing=_regions(code),
        is_main=_regions(code)[0] == region and not data.leading_digits,
        abroad=re.compile(rf"(?:{data.international_prefix or _NEVER})|{code}"),
        trunk=re.compile(data.national_prefix_for_parsing or _NEVER),
        viable=re.compile(data.general_desc.national_number_pattern or _NEVER),
        valid=re.compile(rf"(?={_expression(data.general_desc)}\Z)(?:{kinds or _NEVER})"),
        leading=re.compile(data.leading_digits) if data.leading_digits else None,
        lengths=frozenset(data.general_desc.possible_length),
        longest=max(data.general_desc.possible_length),
        local_lengths=frozenset(data.general_desc.possible_length_local_only),
    )


def _expression(kind: PhoneNumberDesc) -> str:
    if not kind.national_number_pattern:
        return _NEVER
    sizes = "|".join(rf"\d{{{size}}}" for size in kind.possible_length if size > 0)
    of_length = rf"(?=(?:{sizes})\Z)" if sizes else ("" if not kind.possible_length else _NEVER)
    return f"{of_length}(?:{kind.national_number_pattern})"


def _ask_possible(digits: str) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(f"+{digits}", None))
    except phonenumbers.NumberParseException:
        return False


def _ask_valid(digits: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(digits, region))
    except phonenumbers.NumberParseException:
        return False
