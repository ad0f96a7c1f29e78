"""A deployment of ours and how Prefect gets to know it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from prefect import Flow
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.exceptions import ObjectNotFound

JobFlow = Flow[..., Any]
"""An asynchronous flow that does the job whose `job_id` it gets, and answers the state it ends in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A flow that can be asked for by name: `<flow's name>/<flow's name>`.

    Attributes:
        flow: What is run; its name is the kind of the jobs it does, its docstring stands on Prefect's page.
        concurrency_limit: How many of its runs may be in progress at once; None when only the whole is limited.
        tags: For people, on each of its runs.
    """

    flow: JobFlow
    concurrency_limit: int | None = None
    tags: tuple[str, ...] = ("nightshift",)

    @property
    def name(self) -> str:
        """Name of the deployment, of its flow and of the kind of job."""
        return self.flow.name

    @property
    def description(self) -> str:
        """What it does, for Prefect's page."""
        return self.flow.description or ""


async def register(client: PrefectClient, deployment: Deployment) -> UUID:
    """Create the deployment if it is missing, else bring it up to date.

    Its schedules and whether it is paused belong to the person who set them: they are never touched.
    """
    schema = deployment.flow.parameters.model_dump()
    try:
        known = await client.read_deployment_by_name(f"{deployment.name}/{deployment.name}")
    except ObjectNotFound:
        return await client.create_deployment(
            await client.create_flow(deployment.flow),
            deployment.name,
            description=deployment.description,
            tags=[*deployment.tags],
            parameter_openapi_schema=schema,
            enforce_parameter_schema=True,
        )
    changes = DeploymentUpdate(
        description=deployment.description,
        tags=[*deployment.tags],
        parameter_openapi_schema=schema,
    )
    await client.update_deployment(known.id, changes)
    return known.id
