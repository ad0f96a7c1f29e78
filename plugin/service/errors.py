"""Error code to HTTP status, in one table, and the one shape that every error has on the wire."""

import traceback
from collections.abc import Mapping
from pathlib import Path

from fastapi.responses import JSONResponse

from memory_core.errors import MemoryCoreError

STATUS: Mapping[str, int] = {
    "invalid": 422,
    "not_found": 404,
    "conflict": 409,
    "forbidden": 403,
    "unavailable": 503,
    "refused": 422,
    "internal": 500,
    "corrupt": 500,
    "unauthorized": 401,
    "too_large": 413,
    "bad_request": 400,
    "method_not_allowed": 405,
}
"""Codes of the error tree first, then those that only a web server knows."""
_CODES = {status: code for code, status in reversed(STATUS.items())}


class TooLarge(MemoryCoreError):
    """A body that is larger than its limit."""

    code = "too_large"


def error_response(code: str, message: str, *, retryable: bool = False) -> JSONResponse:
    """An error on the wire."""
    body = {"error": {"code": code, "message": message, "retryable": retryable}}
    return JSONResponse(body, status_code=STATUS.get(code, 500))


def code_of(status: int) -> str:
    """The code for a status that the web framework chose."""
    return _CODES.get(status, "internal" if status >= 500 else "bad_request")  # noqa: PLR2004 server errors


def place_of(error: BaseException) -> str:
    """File and line where an error was raised, for the log: its message may hold words of people."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
