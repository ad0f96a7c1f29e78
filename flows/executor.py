"""The executor of flow runs as a process: `python -m flows.executor`.

Prefect reads the environment when it is imported, so nothing of it is imported before the environment stands.
"""

import os
import pkgutil
import sys

import structlog

from flows.environment import executor_environment, replace_prefect_variables
from memory_core.errors import MemoryCoreError
from memory_core.settings_loading import load_settings

log = structlog.get_logger()

DEPLOYMENTS = "flows.deployments:DEPLOYMENTS"


def main(deployments: str = DEPLOYMENTS) -> None:
    """Entry point of the process; exits with 1 and a clear line when it can't work.

    Args:
        deployments: Where the list of deployments is, as `module:name`.
    """
    os.umask(0o077)
    try:
        settings = load_settings()
        replace_prefect_variables(os.environ, executor_environment(settings))
        run_executor = pkgutil.resolve_name("flows.execution:run_executor")
        run_executor(pkgutil.resolve_name(deployments), settings)
    except MemoryCoreError as error:
        log.error("executor.cannot_run", reason=str(error))  # noqa: TRY400  the reason is the whole story
        sys.exit(1)


if __name__ == "__main__":
    main()
