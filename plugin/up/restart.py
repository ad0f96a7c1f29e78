"""How long to wait before a dead child is started again, and when that is hopeless."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """Limits of starting again.

    Attributes:
        first_pause_s: Before the first new start; doubled from death to death.
        longest_pause_s: The pause grows no further.
        longest_pause_after_kill_s: Nor beyond this when the child was killed from outside.
        settled_after_s: A child that lived this long is healthy: its next death is a first one.
        attempts: So many deaths of its own in a row are hopeless.
        hopeless_pause_s: Pause between tries from then on.
    """

    first_pause_s: float = 0.5
    longest_pause_s: float = 10.0
    longest_pause_after_kill_s: float = 2.0
    settled_after_s: float = 30.0
    attempts: int = 5
    hopeless_pause_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What follows from a death.

    Attributes:
        pause_s: Wait this long before the next start.
        hopeless: It dies of its own too often in a row.
        newly_hopeless: This death made it so.
        own_deaths: How often it died of its own in a row.
    """

    pause_s: float
    hopeless: bool
    newly_hopeless: bool
    own_deaths: int


class Deaths:
    """Counts the deaths of one child in a row.

    A SIGKILL comes from outside (a person, the kernel short of memory) and says nothing about the child: it is
    started again however often that happens.
    """

    def __init__(self, policy: RestartPolicy) -> None:
        self._policy = policy
        self._all = 0
        self._own = 0

    def record(self, code: int, *, lived_s: float) -> Verdict:
        """Take in one death: the exit code, negative for a signal, and how long it lived."""
        policy = self._policy
        if lived_s >= policy.settled_after_s:
            self._all = self._own = 0
        killed = code == -signal.SIGKILL
        self._all += 1
        self._own += not killed
        longest_s = policy.longest_pause_after_kill_s if killed else policy.longest_pause_s
        pause_s = min(policy.first_pause_s * 2 ** min(self._all - 1, 16), longest_s)
        hopeless = not killed and self._own >= policy.attempts
        return Verdict(
            pause_s=policy.hopeless_pause_s if hopeless else pause_s,
            hopeless=hopeless,
            newly_hopeless=hopeless and self._own == policy.attempts,
            own_deaths=self._own,
        )
