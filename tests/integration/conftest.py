"""Fixtures of the integration tests."""

from tests.integration.databases import database, database_url, postgres, postgres_url, sqlite, sqlite_file

__all__ = ["database", "database_url", "postgres", "postgres_url", "sqlite", "sqlite_file"]
