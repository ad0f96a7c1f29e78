"""A clock that stands still until it is told to go on."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)
"""A Wednesday at noon."""


class FakeClock:
    """Says the same instant until it is moved."""

    def __init__(self, at: datetime = START) -> None:
        self._now = at

    def now(self) -> datetime:
        """The instant it was set to."""
        return self._now

    def advance(self, **parts: float) -> datetime:
        """Go on by the parts of a `timedelta`, such as `seconds=5`; returns the new instant."""
        self._now += timedelta(**parts)
        return self._now

    def set(self, at: datetime) -> None:
        """Jump, forth or back."""
        self._now = at
