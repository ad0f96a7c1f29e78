"""What Prefect is told through the environment, which it reads when it is imported: quiet, closed and tidy."""

from collections.abc import Mapping, MutableMapping
from pathlib import Path
from urllib.parse import urlsplit

from memory_core.errors import Invalid
from memory_core.settings import Settings
from memory_core.settings_loading import variable

LOOPBACK = ("127.0.0.1", "::1", "localhost")
_PREFIX = "PREFECT_"
_DATABASE = "prefect.db"
_KEEP_RUNS_S = 7 * 24 * 3600


def prefect_home(settings: Settings) -> Path:
    """The folder of the embedded Prefect: its database and nothing a person needs."""
    return settings.home / "prefect"


def database_file(home: Path) -> Path:
    """The database of the embedded Prefect server in its home."""
    return home / _DATABASE


def server_address(settings: Settings) -> tuple[str, int]:
    """Host and port of the embedded Prefect server.

    Raises:
        Invalid: there is no URL, it lacks a port, or it isn't on this machine's loopback.
    """
    name = variable("prefect.apiUrl")
    url = settings.backends.prefect_api_url
    parts = urlsplit(url or "")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host not in LOOPBACK or not port or parts.scheme != "http" or parts.path.rstrip("/") != "/api":
        raise Invalid(f"{name}: {url!r} must look like http://127.0.0.1:PORT/api for the embedded Prefect server")
    return host, port


def server_environment(settings: Settings) -> dict[str, str]:
    """Variables of the embedded Prefect server.

    Raises:
        Invalid: the URL or the password is missing or unusable.
    """
    host, port = server_address(settings)
    origin = f"http://{host}:{port}"
    return storage_environment(prefect_home(settings)) | {
        "PREFECT_SERVER_API_HOST": host,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_API_AUTH_STRING": _password(settings),
        "PREFECT_SERVER_UI_API_URL": f"{origin}/api",
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": origin,
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        # What the memory-kept leases of a killed server held would never be given back.
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
        "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
        "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(_KEEP_RUNS_S),
        "PREFECT_SERVER_EVENTS_RETENTION_PERIOD": "P1D",
        # Work pools, pauses and workers: nobody here has them, and each looks at the database every few seconds.
        "PREFECT_SERVER_SERVICES_FOREMAN_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_CLEANUP_RECONCILER_ENABLED": "false",
    }


def storage_environment(home: Path) -> dict[str, str]:
    """Variables that every use of an embedded Prefect database needs, also the one that builds the template."""
    return {
        **_quiet(home),
        "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{database_file(home)}",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
        # Blocks are forms of Prefect's page that nothing of ours fills in; registering them costs a second a start.
        "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
    }


def executor_environment(settings: Settings) -> dict[str, str]:
    """Variables of a process that runs flow runs against the embedded server.

    Raises:
        Invalid: the URL or the password is missing or unusable.
    """
    host, port = server_address(settings)
    return _quiet(prefect_home(settings)) | {
        "PREFECT_API_URL": f"http://{host}:{port}/api",
        "PREFECT_API_AUTH_STRING": _password(settings),
        "PREFECT_CLIENT_CSRF_SUPPORT_ENABLED": "false",
        "PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false",  # both come from the same installation
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    }


def replace_prefect_variables(environ: MutableMapping[str, str], wanted: Mapping[str, str]) -> None:
    """Put in ours and take out every other variable of Prefect, which belongs to some other use of it."""
    for name in [name for name in environ if name.startswith(_PREFIX)]:
        del environ[name]
    environ.update(wanted)


def _quiet(home: Path) -> dict[str, str]:
    return {
        "PREFECT_HOME": str(home),
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_COLORS": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
    }


def _password(settings: Settings) -> str:
    key = settings.backends.prefect_api_key or ""
    if ":" not in key.strip(":"):
        raise Invalid(f"{variable('prefect.apiKey')}: must look like user:password for the embedded Prefect server")
    return key
