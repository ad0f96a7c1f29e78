"""Fixtures that cost so much that a session has one of each."""

pytest_plugins = ["tests.prefect_server", "tests.index_process"]
