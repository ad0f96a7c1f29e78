"""Addresses of memories: built and parsed here only.

`kref://<project>/<space path>/<slug>.<kind>?r=<revision>`; without `r` it means the current revision. The slug of a
memory is drawn from its id, not from its text, so that an address may stand in logs and receipts.
"""

import re
from dataclasses import dataclass

from memory_core.errors import Invalid
from memory_core.values import MemoryId, MemoryKind

_SHAPE = re.compile(
    r"^kref://(?P<path>[^?#\s]+)/(?P<slug>[^/?#\s]+)\.(?P<kind>[a-z_]+)(?:\?r=(?P<revision>[1-9]\d{0,8}))?$"
)
_SLUG_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A parsed kref: the address without revision, and the revision asked for."""

    kref: str
    revision: int | None = None


def memory_kref(memory_id: MemoryId, *, project: str, space: str, kind: MemoryKind) -> str:
    """Address of a memory, without revision."""
    return f"kref://{_segment(project)}/{_segment(space)}/m-{memory_id.replace('-', '')[:_SLUG_CHARS]}.{kind}"


def parse(text: str) -> Address:
    """Take an address apart.

    Raises:
        Invalid: it isn't one.
    """
    match = _SHAPE.match(text.strip())
    if not match:
        raise Invalid(f"ref: {text[:80]!r} is not an address of the form kref://project/space/slug.kind?r=revision")
    revision = match["revision"]
    return Address(kref=text.strip().split("?", 1)[0], revision=int(revision) if revision else None)


def _segment(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "memory"
