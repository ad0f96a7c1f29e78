"""Fixtures of the tests of the service."""

from tests.integration.service.server import service, small_service

__all__ = ["service", "small_service"]
