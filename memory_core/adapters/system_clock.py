"""Clock over the operating system."""

from datetime import UTC, datetime


class SystemClock:
    """The computer's own time."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return datetime.now(UTC)
