"""Pure: the exchanges of a transcript that are worth keeping as turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise

from memory_core.context.messages import ASSISTANT, Message

_KEY_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What somebody said and what was answered.

    Attributes:
        key: The same whenever the same exchange is read.
        sender_id: Who spoke, where the transcript tells.
    """

    key: str
    user_text: str
    assistant_text: str
    at: datetime | None
    sender_id: str | None


def read_exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """Each message of somebody with the last words of the answer; those without an answer are left out."""
    begins = [index for index, message in enumerate(messages) if message.begins_exchange]
    exchanges: list[Exchange] = []
    for begin, end in pairwise([*begins, len(messages)]):
        said = messages[begin]
        answer = next(
            (later.text for later in reversed(messages[begin:end]) if later.role == ASSISTANT and later.text.strip()),
            "",
        )
        if said.text.strip() and answer:
            exchanges.append(
                Exchange(
                    key=said.key or _key_of(said),
                    user_text=said.text,
                    assistant_text=answer,
                    at=said.at,
                    sender_id=said.sender_id,
                )
            )
    return exchanges


def _key_of(said: Message) -> str:
    """Of an exchange that the caller has no name for: what was said when."""
    when = said.at.isoformat() if said.at else ""
    return "said-" + blake2b(f"{when}\0{said.text}".encode(), digest_size=_KEY_BYTES).hexdigest()
