"""The error tree: every class has a code and says whether a retry can help.

MemoryCoreError
├── Invalid       the caller's input breaks a rule; the message names field, value and rule
├── NotFound      there is no such thing in the caller's scope
├── Conflict      the state changed meanwhile, or forbids the change
├── Forbidden     the caller may not do this
├── Unavailable   a part is away or too slow; the same call may work later (retryable)
├── Refused       a policy or the chat model declined
└── Corrupt       stored data can't be read; a rebuild or a restore is needed
"""

from typing import ClassVar


class MemoryCoreError(Exception):
    """Base of all errors of the domain library."""

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False


class Invalid(MemoryCoreError):
    """The caller's input breaks a rule."""

    code = "invalid"


class NotFound(MemoryCoreError):
    """There is no such thing in the caller's scope."""

    code = "not_found"


class Conflict(MemoryCoreError):
    """The state changed meanwhile, or forbids the change."""

    code = "conflict"


class Forbidden(MemoryCoreError):
    """The caller may not do this."""

    code = "forbidden"


class Unavailable(MemoryCoreError):
    """A part is away or too slow; the same call may work later."""

    code = "unavailable"
    retryable = True


class Refused(MemoryCoreError):
    """A policy or the chat model declined."""

    code = "refused"


class Corrupt(MemoryCoreError):
    """Stored data can't be read; a rebuild or a restore is needed."""

    code = "corrupt"
