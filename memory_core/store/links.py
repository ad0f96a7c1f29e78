"""Statements on edges. Every read names the scopes that it may see."""

from collections.abc import Sequence

from sqlalchemy import delete, or_
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.link import Link
from memory_core.values import LinkKind, ScopeKey

_BATCH = 400
"""Ids of one statement, each standing in it twice; SQLite allows some thousand parameters."""


class LinkRepository:
    """Edges within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def add(self, link: Link) -> Link | None:
        """Draw an edge; None when the same edge is there already, which stays as it is."""
        known = select(Link.id).where(
            Link.scope_key == link.scope_key,
            Link.source_id == link.source_id,
            Link.target_id == link.target_id,
            Link.kind == link.kind,
        )
        if self._db.exec(known).first() is not None:
            return None
        self._db.add(link)
        self._db.flush()
        return link

    def get(self, link_id: str) -> Link | None:
        """One edge."""
        return self._db.get(Link, link_id)

    def of(
        self, ids: Sequence[str], *, scopes: Sequence[ScopeKey], kinds: Sequence[LinkKind] = tuple(LinkKind)
    ) -> list[Link]:
        """Edges from or to any of the nodes, oldest first."""
        found: dict[str, Link] = {}
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            statement = select(Link).where(
                col(Link.scope_key).in_(scopes),
                col(Link.kind).in_(kinds),
                or_(col(Link.source_id).in_(batch), col(Link.target_id).in_(batch)),
            )
            found |= {link.id: link for link in self._db.exec(statement)}
        return sorted(found.values(), key=lambda link: (link.created_at, link.id))

    def delete(self, link_ids: Sequence[str]) -> int:
        """Remove edges; returns how many."""
        gone = 0
        for start in range(0, len(link_ids), _BATCH):
            statement = delete(Link).where(col(Link.id).in_(link_ids[start : start + _BATCH]))
            gone += self._db.exec(statement).rowcount
        return gone

    def forget(self, node_ids: Sequence[str]) -> int:
        """Remove every edge of nodes that are about to go; returns how many."""
        gone = 0
        for start in range(0, len(node_ids), _BATCH):
            batch = node_ids[start : start + _BATCH]
            statement = delete(Link).where(or_(col(Link.source_id).in_(batch), col(Link.target_id).in_(batch)))
            gone += self._db.exec(statement).rowcount
        return gone
