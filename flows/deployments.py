"""Every deployment, in one list: for the executor of one machine and for `deploy/prefect.yaml` of many."""

from flows.consolidate import consolidate
from flows.creative import creative
from flows.deduplicate import deduplicate
from flows.dream import dream
from flows.housekeeping import housekeeping
from flows.import_lines import import_lines
from flows.registration import Deployment

DEPLOYMENTS = (
    Deployment(flow=consolidate),
    Deployment(flow=creative),
    # The service asks for runs when their time has come: `nightshift dream schedule` shows and changes it.
    Deployment(flow=dream, concurrency_limit=1),
    Deployment(flow=deduplicate, concurrency_limit=1),
    Deployment(flow=housekeeping, concurrency_limit=1),
    # Imports may be long and many: what is said today must find a free place beside them.
    Deployment(flow=import_lines, concurrency_limit=2),
)
