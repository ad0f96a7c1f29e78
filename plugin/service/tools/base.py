"""What every tool shares: its arguments as a type, its answer, and how a wrong argument is told."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import structlog
from pydantic import BaseModel, BeforeValidator, ValidationError, ValidationInfo

from memory_core.bootstrap import MemoryCore
from memory_core.errors import MemoryCoreError
from memory_core.values import Scope, SessionRef
from plugin.service.errors import place_of
from plugin.service.schemas import Instant, Wire

log = structlog.get_logger(__name__)

_DAY = re.compile(r"\s*(\d{4}-\d\d-\d\d)\s*")


def _moment(value: object, info: ValidationInfo, *, days_later: int) -> object:
    """A day of the caller's calendar as the moment it begins, or the next one does; anything else as it came."""
    if not isinstance(value, str) or not (day := _DAY.fullmatch(value)):
        return value
    known: dict[str, str] = info.context or {}
    try:
        begins = date.fromisoformat(day.group(1)) + timedelta(days=days_later)
    except (ValueError, OverflowError):
        raise ValueError("must be a day of the calendar such as 2026-05-01, or a time with its offset") from None
    return datetime.combine(begins, time(), tzinfo=ZoneInfo(known.get("zone", "UTC"))).isoformat()


FromDay = Annotated[Instant, BeforeValidator(partial(_moment, days_later=0))]
"""A time, or a day: the moment it begins."""
ToDay = Annotated[Instant, BeforeValidator(partial(_moment, days_later=1))]
"""A time, or a day: the moment it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """Who calls a tool, on what."""

    core: MemoryCore
    ref: SessionRef
    scope: Scope

    @property
    def zone(self) -> str:
        """Zone of the caller, an IANA name."""
        return self.ref.timezone or self.core.settings.identity.timezone


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """A tool's answer: words for the model, details for programs."""

    text: str
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its name, its arguments, and what it does. Work that blocks goes to a thread inside `run`."""

    name: str
    arguments: type[Wire]
    run: Callable[[ToolCall, Any], Awaitable[ToolReply]]

    async def call(self, call: ToolCall, arguments: Mapping[str, Any]) -> ToolReply:
        """Check the arguments, then run; what goes wrong is an answer that says so, never a failed turn."""
        try:
            checked = self.arguments.model_validate(arguments, context={"zone": call.zone})
        except ValidationError as error:
            return ToolReply(text=describe(error), is_error=True)
        try:
            return await self.run(call, checked)
        except MemoryCoreError as error:
            return _failed(str(error), code=error.code, retryable=error.retryable)
        except Exception as error:  # noqa: BLE001 a tool never fails a turn
            place = place_of(error)
            log.error("tool.failed", tool=self.name, error=type(error).__name__, at=place)  # noqa: TRY400 no words of people
            return _failed("an internal error; see the service's log", code="internal", retryable=False)


def _failed(text: str, *, code: str, retryable: bool) -> ToolReply:
    return ToolReply(text=text, details={"code": code, "retryable": retryable}, is_error=True)


def describe(error: ValidationError) -> str:
    """Each wrong field with the rule it breaks, on one line."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {_rule(problem['msg'])}"
        for problem in error.errors(include_input=False, include_url=False, include_context=False)
    )


def dump(model: BaseModel) -> dict[str, Any]:
    """The wire form of a model, without absent fields."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _rule(message: str) -> str:
    return message.removeprefix("Value error, ")
