"""Transcripts on the wire: thousands of messages before each turn, so the usual ones are read without models."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, cast

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, GetPydanticSchema, TypeAdapter, ValidationError
from pydantic_core import CoreSchema
from pydantic_core.core_schema import ValidatorFunctionWrapHandler, no_info_wrap_validator_function

from memory_core.context.messages import Message, read_message
from plugin.service.schemas import Instant, Key, Wire

MAX_MESSAGES = 20_000
Tokens = Annotated[int, Field(ge=0)]


class MessageIn(Wire):
    """A message of the transcript; more of it than this is passed on by the gateway and not looked at.

    Attributes:
        turn_key: The gateway's name of the exchange that a user's message begins.
        omitted_chars: How many characters the caller left out of the content.
    """

    model_config = ConfigDict(populate_by_name=False)

    role: str
    content: str | list[dict[str, Any]] | None = None
    at: Instant | None = None
    sender_id: Key | None = None
    turn_key: Key | None = None
    omitted_chars: Tokens = 0

    def to_message(self) -> Message:
        """The message as the context engine reads it."""
        return read_message(
            self.role,
            self.content,
            at=self.at,
            key=self.turn_key,
            sender_id=self.sender_id,
            omitted_chars=self.omitted_chars,
        )


_INSTANTS = TypeAdapter(list[Instant | None])
_KEYS = TypeAdapter(list[Key | None])


def _read(value: object, validate: ValidatorFunctionWrapHandler) -> list[Message]:
    """The messages as the context engine reads them; what isn't of the usual shape goes through the models.

    Both ways read the same, which a test shows; without models it takes half of the time.
    """
    plain = _read_plain(cast("list[object]", value)) if isinstance(value, list) else None
    return [one.to_message() for one in cast("list[MessageIn]", validate(value))] if plain is None else plain


def _schema(_: object, handler: GetCoreSchemaHandler) -> CoreSchema:
    checked = handler.generate_schema(Annotated[list[MessageIn], Field(max_length=MAX_MESSAGES)])
    return no_info_wrap_validator_function(_read, checked)


Messages = Annotated[list[Message], GetPydanticSchema(_schema)]
"""A list of `MessageIn` on the wire, read."""


def _read_plain(value: Sequence[object]) -> list[Message] | None:
    """None when a message is wrong, or less usual than this way bothers with."""
    if len(value) > MAX_MESSAGES or not all(type(one) is dict for one in value):
        return None
    raws = cast("Sequence[Mapping[str, Any]]", value)
    try:
        ats = _INSTANTS.validate_python([raw.get("at") for raw in raws])
        keys = _KEYS.validate_python([raw.get("turnKey") for raw in raws])
        senders = _KEYS.validate_python([raw.get("senderId") for raw in raws])
    except ValidationError:
        return None
    messages: list[Message] = []
    for raw, at, key, sender in zip(raws, ats, keys, senders, strict=True):
        message = _plain_message(raw, at, key=key, sender_id=sender)
        if message is None:
            return None
        messages.append(message)
    return messages


def _plain_message(
    raw: Mapping[str, Any], at: datetime | None, *, key: str | None, sender_id: str | None
) -> Message | None:
    role, content, omitted = raw.get("role"), raw.get("content"), raw.get("omittedChars", 0)
    if type(role) is not str or type(omitted) is not int or omitted < 0:
        return None
    if type(content) is not str and not _is_content(content):
        return None
    return read_message(role, content, at=at, key=key, sender_id=sender_id, omitted_chars=omitted)


def _is_content(content: object) -> bool:
    if not isinstance(content, list):
        return content is None
    for part in cast("list[object]", content):  # noqa: SIM110 a generator for each message takes half of the reading
        if type(part) is not dict:
            return False
    return True
