import pkgutil
from pathlib import Path
from typing import Any

import yaml

from flows.deployments import DEPLOYMENTS
from memory_core.values import JobKind

PREFECT_YAML = Path(__file__).parents[3] / "deploy" / "prefect.yaml"


def of_many_machines() -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in yaml.safe_load(PREFECT_YAML.read_text())["deployments"]}


def test_every_kind_of_job_has_a_deployment_of_its_name() -> None:
    assert sorted(one.name for one in DEPLOYMENTS) == sorted(JobKind)


def test_every_flow_is_asynchronous_and_says_what_it_does() -> None:
    assert [one.name for one in DEPLOYMENTS if not one.flow.isasync or not one.description] == []


def test_many_machines_have_the_same_deployments_as_one() -> None:
    ours = {
        one.name: {"description": one.description, "tags": [*one.tags], "concurrency_limit": one.concurrency_limit}
        for one in DEPLOYMENTS
    }
    assert {
        name: {key: one[key] for key in ("description", "tags", "concurrency_limit")}
        for name, one in of_many_machines().items()
    } == ours


def test_many_machines_run_the_same_flows_as_one() -> None:
    theirs = of_many_machines()
    for one in DEPLOYMENTS:
        assert pkgutil.resolve_name(theirs[one.name]["entrypoint"]) is one.flow
