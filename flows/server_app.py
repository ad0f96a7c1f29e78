"""The application of the embedded Prefect server, made to bear many clients on SQLite.

As it comes, Prefect answers 503 or drops connections when several clients write at once: two transactions read, then
both want to write. Here every transaction takes the write lock when it begins, and requests that write wait for each
other in this process instead of in SQLite.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from prefect.server.api.server import create_app
from prefect.server.database import provide_database_interface
from prefect.server.database.configurations import AioSqliteConfiguration
from prefect.server.database.dependencies import set_database_config
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

_WRITING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# Prefect's questions with a body; they only read.
_QUESTIONS = ("/filter", "/count", "/history", "/paginate", "/get_scheduled_flow_runs")


class ImmediateSqlite(AioSqliteConfiguration):
    """Takes SQLite's write lock at the start of a transaction, so that none fails in its middle."""

    @override
    @asynccontextmanager
    async def begin_transaction(
        self, session: AsyncSession, with_for_update: bool = True
    ) -> AsyncGenerator[AsyncSessionTransaction, None]:
        """Begin with the write lock, whatever the caller asks for."""
        async with super().begin_transaction(session, with_for_update=True) as transaction:
            yield transaction


class OneWriter:
    """Lets one writing request at a time through to the application; reading ones pass freely."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: PLR0917  ASGI's signature
        """Serve one connection."""
        if _writes(scope):
            async with self._turn:
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def create() -> ASGIApp:
    """The application, as uvicorn's factory; Prefect's environment must stand before this module is imported."""
    set_database_config(ImmediateSqlite(connection_url=PREFECT_API_DATABASE_CONNECTION_URL.value()))
    return OneWriter(create_app())


def prepare() -> None:
    """Bring the database that the environment names to Prefect's present schema and unpack the pages of its site."""
    asyncio.run(provide_database_interface().create_db())
    create_app()


def _writes(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in _WRITING and not scope["path"].endswith(_QUESTIONS)
