"""FakeFlowEngine: keeps flow runs in memory; the test plays the flows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from uuid import uuid4

from memory_core.errors import NotFound, Unavailable
from memory_core.values import FlowRun, JobId, JobKind, JobState

_ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a flow run was created with."""

    run_id: str
    job_id: JobId
    kind: JobKind
    parameters: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class FakeFlowEngine:
    """Runs nothing by itself.

    Attributes:
        away: Why every call raises Unavailable; None when the engine is there.
        submissions: Every flow run that was created, in order.
    """

    away: str | None = None
    submissions: list[Submission] = field(default_factory=list[Submission])
    _runs: dict[str, FlowRun] = field(default_factory=dict[str, FlowRun])
    _run_ids: dict[str, str] = field(default_factory=dict[str, str])

    def submit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str]) -> FlowRun:
        """See `FlowEngine.submit`."""
        return self._create(job_id, key=job_id, kind=kind, parameters=parameters)

    def resubmit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str], attempt: int) -> FlowRun:
        """See `FlowEngine.resubmit`."""
        return self._create(job_id, key=f"{job_id}:{attempt}", kind=kind, parameters=parameters)

    def read(self, run_id: str) -> FlowRun:
        """See `FlowEngine.read`."""
        self.ready()
        try:
            return self._runs[run_id]
        except KeyError:
            raise NotFound(f"flow run: there is none called {run_id!r}") from None

    def cancel(self, run_id: str) -> None:
        """See `FlowEngine.cancel`; a run that ended stays as it is."""
        if self.read(run_id).state not in _ENDED:
            self.move(run_id, JobState.CANCELLED)

    def ready(self) -> None:
        """See `FlowEngine.ready`."""
        if self.away is not None:
            raise Unavailable(self.away)

    def move(self, run_id: str, state: JobState, *, message: str | None = None) -> None:
        """Bring a run into a state, as its flow would."""
        self._runs[run_id] = replace(self._runs[run_id], state=state, message=message)

    def lose(self, run_id: str) -> None:
        """Forget a run, as a server does that began with a new database."""
        del self._runs[run_id]
        self._run_ids = {key: known for key, known in self._run_ids.items() if known != run_id}

    def _create(self, job_id: JobId, *, key: str, kind: JobKind, parameters: Mapping[str, str]) -> FlowRun:
        self.ready()
        if key not in self._run_ids:
            run = FlowRun(run_id=str(uuid4()), state=JobState.QUEUED)
            self._run_ids[key] = run.run_id
            self._runs[run.run_id] = run
            self.submissions.append(
                Submission(run_id=run.run_id, job_id=job_id, kind=kind, parameters=dict(parameters))
            )
        return self._runs[self._run_ids[key]]
