"""The operator's routes for made things and for jobs that failed; an agent never reaches them."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import StringConstraints

from memory_core.values import JobId
from plugin.service.context import ServiceContext, service
from plugin.service.schemas import STORABLE, JobOut, Wire

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]


class PublishIn(Wire):
    """Which revision to pin; without `?r=` the current one. `published: false` takes the pin off."""

    ref: Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=1000, strip_whitespace=True)]
    published: bool = True


class PublishOut(Wire):
    """The artifact, and the number of the revision that is pinned."""

    item_kref: str
    title: str
    published: int | None = None


@router.post("/v1/artifacts/publish", response_model_exclude_none=True)
async def publish(body: PublishIn, it: Service) -> PublishOut:
    """Pin a revision of a made thing, so that nothing retires what mentions it."""
    view = await asyncio.to_thread(it.core.creative.publish, body.ref, scopes=None, published=body.published)
    return PublishOut(item_kref=view.artifact.kref, title=view.artifact.title, published=view.artifact.published)


@router.post("/v1/jobs/{job_id}/retry", response_model_exclude_none=True)
async def retry(job_id: str, it: Service) -> JobOut:
    """Have a job that failed done again."""
    job = await asyncio.to_thread(it.core.jobs.retry, JobId(job_id))
    it.background.wake()
    return JobOut.model_validate(job.model_dump())
