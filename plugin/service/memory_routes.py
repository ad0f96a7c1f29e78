"""The operator's routes for single memories; an agent never reaches them."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends

from memory_core.capture.editing import Edit
from memory_core.models.memory import Memory
from memory_core.values import MemoryId, ScopeKey
from plugin.service.context import ServiceContext, service
from plugin.service.memory_schemas import EdgeOut, MemoryDetailOut, MemoryPatchIn, RevisionOut
from plugin.service.schemas import MemoryOut

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]


@router.get("/v1/memories/{memory_id}", response_model_exclude_none=True)
async def read(memory_id: str, it: Service) -> MemoryDetailOut:
    """A memory of whichever scope with its versions, and its edges within that scope."""
    return await asyncio.to_thread(lambda: _detail(it, it.core.editing.find(MemoryId(memory_id))))


@router.patch("/v1/memories/{memory_id}", response_model_exclude_none=True)
async def correct(memory_id: str, *, body: MemoryPatchIn, it: Service) -> MemoryDetailOut:
    """Correct text, tags, pin or status; what it said before is its earlier revision."""
    edit = Edit(
        text=body.text,
        tags=None if body.tags is None else tuple(body.tags),
        pinned=body.pinned,
        status=body.status,
    )
    memory = await asyncio.to_thread(it.core.editing.edit, MemoryId(memory_id), edit)
    await asyncio.to_thread(it.core.indexing.try_apply)
    return await asyncio.to_thread(_detail, it, memory)


def _detail(it: ServiceContext, memory: Memory) -> MemoryDetailOut:
    history = it.core.library.history(memory.id, scopes=[ScopeKey(memory.scope_key)])
    shown = MemoryOut.of(it.core.library.describe([memory])[0])
    return MemoryDetailOut(
        **shown.model_dump(),
        revisions=[RevisionOut.of(view) for view in history.revisions],
        edges=[EdgeOut.of(view) for view in history.edges],
    )
