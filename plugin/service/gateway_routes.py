"""Endpoints for the gateways that use this service."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends

from plugin.service.context import ServiceContext, service
from plugin.service.gateways import GatewayIn

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]


@router.post("/v1/gateways")
async def say_present(it: Service, body: GatewayIn) -> dict[str, int]:
    """Say that a gateway uses this service, or no longer does; tells how many others do."""
    return {"others": it.gateways.note(body, at=it.core.clock.now())}


@router.get("/v1/gateways")
async def gateways(it: Service) -> dict[str, Any]:
    """The gateways that use this service."""
    return {"gateways": it.gateways.present(it.core.clock.now())}
