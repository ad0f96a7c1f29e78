"""The gateway's own record of its sessions, for what a test can't wait for: a day that has passed."""

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.rig.gateway import wait_for

_STORE = Path(".openclaw", "agents", "main", "agent", "openclaw-agent.sqlite")
_BUSY_S = 30
_SETTLED_S = 30


def begin_earlier(home: Path, session: str, *, by_s: int) -> None:
    """Have a session begun longer ago; waits until its last turn is recorded.

    Args:
        home: The gateway's.
        session: Key of the session.
        by_s: How much longer ago.
    """
    wait_for(lambda: _entry(home, session).get("status") == "done", timeout_s=_SETTLED_S, what="the end of the turn")
    with _store(home) as db, db:
        db.execute(
            "UPDATE session_nodes SET entry_json = json_set(entry_json, '$.sessionStartedAt',"
            " json_extract(entry_json, '$.sessionStartedAt') - ?) WHERE session_key = ?",
            (by_s * 1000, session),
        )
        # A change of the entry marks it as unchecked, and the gateway refuses what it finds unchecked.
        db.execute("UPDATE session_nodes SET entry_valid = 1 WHERE session_key = ?", (session,))


def resets(home: Path, session: str) -> list[str]:
    """Why a session was reset, each time, in order."""
    with _store(home) as db:
        rows = db.execute(
            "SELECT json_extract(event_json, '$.reason') FROM transcript_events WHERE session_id = ?"
            " AND json_extract(event_json, '$.type') = 'reset' ORDER BY seq",
            (_entry(home, session)["sessionId"],),
        ).fetchall()
    return [str(reason) for (reason,) in rows]


def _entry(home: Path, session: str) -> dict[str, Any]:
    with _store(home) as db:
        (text,) = db.execute("SELECT entry_json FROM session_nodes WHERE session_key = ?", (session,)).fetchone()
    entry: dict[str, Any] = json.loads(text)
    return entry


@contextmanager
def _store(home: Path) -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / _STORE, timeout=_BUSY_S)) as db:
        yield db
