"""Pure: what a run may not do, whoever proposes it."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from datetime import datetime

from memory_core.dream.aging import YOUNG
from memory_core.dream.changes import RETIRING, Op
from memory_core.dream.known import Known

HALF_IS_RETIRED = "half of what was reviewed is retired already"
"""Why a guard refuses what the next run may do."""


@dataclass(slots=True, kw_only=True)
class Guard:
    """Keeps count of what a run retires.

    At most half of what is reviewed may be retired. Reviewed are all memories of the run's plan, and those outside
    of it that were weighed for retirement: whoever says one new thing a day must be able to replace one old thing.

    Attributes:
        plan: Memories that the run set out to look at.
        weighed: Memories outside of the plan that were weighed.
        retired: How many were retired so far.
    """

    plan: Set[str]
    weighed: set[str] = field(default_factory=set[str])
    retired: int = 0

    @property
    def reviewed(self) -> int:
        """How many memories the run reviews."""
        return len(self.plan) + len(self.weighed)

    def replay(self, changes: Iterable[tuple[Op, str, bool]]) -> None:
        """Take up what an earlier attempt of the run did: operation, memory, and whether it was refused."""
        for op, memory_id, refused in changes:
            if op in RETIRING:
                self._weigh(memory_id)
                self.retired += not refused

    def judge(self, op: Op, memory: Known, *, at: datetime) -> str | None:
        """Why this may not be done to the memory; None when it may, which is then counted.

        Args:
            op: What is to be done.
            memory: To which memory.
            at: The present moment of the run.
        """
        if op not in RETIRING:
            return memory.keeps if op is Op.REVISE else None
        self._weigh(memory.memory_id)
        if reason := memory.keeps:
            return reason
        if op is Op.DEPRECATE and at - memory.created_at < YOUNG:
            return f"it is younger than {YOUNG.days} days"
        if (self.retired + 1) * 2 > self.reviewed:
            return HALF_IS_RETIRED
        self.retired += 1
        return None

    def _weigh(self, memory_id: str) -> None:
        if memory_id not in self.plan:
            self.weighed.add(memory_id)
