"""Fixtures of the integration tests."""

from tests.integration.cores import sqlite_world, world
from tests.integration.databases import (
    database,
    database_url,
    postgres,
    postgres_url,
    sqlite,
    sqlite_file,
    sqlite_template,
    tables_url,
)

__all__ = [
    "database",
    "database_url",
    "postgres",
    "postgres_url",
    "sqlite",
    "sqlite_file",
    "sqlite_template",
    "sqlite_world",
    "tables_url",
    "world",
]
