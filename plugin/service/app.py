"""The application: routes behind the gate, errors in one shape, chores in the background."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from memory_core.bootstrap import MemoryCore
from memory_core.errors import MemoryCoreError
from plugin.service.artifact_routes import router as artifact_router
from plugin.service.background import Background
from plugin.service.context import ServiceContext
from plugin.service.context_routes import router as context_router
from plugin.service.dream_routes import router as dream_router
from plugin.service.errors import code_of, error_response
from plugin.service.gate_routes import router as gate_router
from plugin.service.gateway_routes import router as gateway_router
from plugin.service.memory_routes import router as memory_router
from plugin.service.metrics import Metrics
from plugin.service.middleware import Gate
from plugin.service.model_calls import router as model_call_router
from plugin.service.prefetcher import Prefetcher
from plugin.service.readiness import Readiness
from plugin.service.recalling import Recaller
from plugin.service.routes import router
from plugin.service.signal_board import SignalBoard
from plugin.service.signal_routes import router as signal_router
from plugin.service.tools.registry import registry

VERSION = "1"


def build_app(core: MemoryCore, *, token: str, on_wake: list[Background]) -> FastAPI:
    """Put the service together.

    Args:
        core: An open core; stays open as long as the app runs.
        token: What every caller must know.
        on_wake: Gets the running background of the app, so that the core can wake it.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        background, metrics, recaller = Background(core), Metrics(), Recaller(core)
        prefetcher = Prefetcher(core, recaller=recaller, metrics=metrics)
        app.state.service = ServiceContext(
            core=core,
            token=token,
            metrics=metrics,
            readiness=Readiness(core),
            background=background,
            tools=registry(),
            recaller=recaller,
            prefetcher=prefetcher,
            signals=SignalBoard(grace=timedelta(seconds=core.settings.capture.compaction_grace_s)),
        )
        background.start()
        prefetcher.start()
        on_wake.append(background)
        yield
        on_wake.clear()
        await background.stop()
        await prefetcher.stop()
        await recaller.close()

    app = FastAPI(
        title="Nightshift",
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.include_router(router)
    app.include_router(artifact_router)
    app.include_router(context_router)
    app.include_router(dream_router)
    app.include_router(gate_router)
    app.include_router(memory_router)
    app.include_router(model_call_router)
    app.include_router(gateway_router)
    app.include_router(signal_router)
    app.add_middleware(Gate, token=token, listen=core.settings.listen)
    app.add_exception_handler(MemoryCoreError, _ours)
    app.add_exception_handler(RequestValidationError, _wrong_field)
    app.add_exception_handler(HTTPException, _of_the_framework)
    return app


async def _ours(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, MemoryCoreError):
        raise error
    return error_response(error.code, str(error), retryable=error.retryable)


async def _wrong_field(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    problems = [
        f"{'.'.join(str(part) for part in problem['loc'] if part != 'body') or 'body'}: "
        f"{problem['msg'].removeprefix('Value error, ')}"
        for problem in error.errors()
    ]
    return error_response("invalid", "; ".join(problems))


async def _of_the_framework(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    code = code_of(error.status_code)
    return error_response(code, str(error.detail))
