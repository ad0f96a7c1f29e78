"""Addresses of memories and artifacts: built and parsed here only.

`kref://<project>/<space path>/<slug>.<kind>?r=<revision>`; without `r` it means the current revision. The slug of a
memory is drawn from its id, not from its text, so that an address may stand in logs and receipts; that of an artifact
is drawn from its title.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from memory_core.errors import Invalid
from memory_core.values import MemoryId, MemoryKind

_SHAPE = re.compile(
    r"^kref://(?P<path>[^?#\s]+)/(?P<slug>[^/?#\s]+)\.(?P<kind>[a-z][a-z0-9_]*)"
    r"(?:\?r=(?P<revision>[1-9]\d{0,8})(?:\.\.(?P<other>[1-9]\d{0,8}))?)?$"
)
_SLUG_CHARS = 12
_PART_CHARS = 60
"""Longest readable part of an artifact's address; what is cut is told apart by a hash."""
_KIND_CHARS = 24
_HASH_BYTES = 4
_HASHED_CHARS = 1 + 2 * _HASH_BYTES
_KEY_BYTES = 16
_NAMELESS = "untitled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A parsed kref: the address without revision, and the revision asked for.

    Attributes:
        other: The revision that it is to be compared with; only where a comparison may be asked for.
    """

    kref: str
    revision: int | None = None
    other: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an artifact lies, as its address spells it; two places that were given different names differ."""

    project: str
    space: str
    kind: str


def memory_kref(memory_id: MemoryId, *, project: str, space: str, kind: MemoryKind) -> str:
    """Address of a memory, without revision; each part of its space between slashes becomes a segment."""
    path = "/".join(_segment(part) for part in space.split("/") if part.strip()) or _segment(space)
    return f"kref://{_segment(project)}/{path}/m-{memory_id.replace('-', '')[:_SLUG_CHARS]}.{kind}"


def place_of(*, project: str, space: str, kind: str) -> Place:
    """The place that somebody named; doing it again to its own parts changes nothing.

    Args:
        project: Becomes one segment.
        space: A path: each part between slashes becomes a segment.
        kind: Becomes a word of small letters, digits and underscores.
    """
    path = [_distinct(part) for part in space.split("/") if part.strip()]
    return Place(project=_distinct(project), space="/".join(path) or _distinct(space), kind=_kind_word(kind))


def artifact_krefs(place: Place, title: str, *, artifact_id: str) -> Iterator[str]:
    """Addresses that an artifact may have, the best first: the first that is free is the one.

    Titles that differ may reduce to the same slug; then a hash of the title stands behind it. The last one is free
    always, since it names the artifact's own id.
    """
    slug = _reduced(title)[:_PART_CHARS].strip("-.") or _NAMELESS
    for ending in ("", f"-{_hash(_folded(title))}", f"-{artifact_id.replace('-', '')}"):
        yield f"kref://{place.project}/{place.space}/{slug}{ending}.{place.kind}"


def title_key(title: str) -> str:
    """What two spellings of one title have in common, 32 hexadecimal digits: case, width and blanks don't count."""
    return blake2b(_folded(title).encode(), digest_size=_KEY_BYTES).hexdigest()


def parse(text: str) -> Address:
    """Take an address apart.

    Raises:
        Invalid: it isn't one.
    """
    address = parse_comparison(text)
    if address.other is not None:
        raise Invalid(f"ref: {text[:80]!r} names two revisions where one can be read")
    return address


def parse_comparison(text: str) -> Address:
    """Take an address apart that may end in `?r=1..2`, which asks for the difference of two revisions.

    Raises:
        Invalid: it isn't one.
    """
    match = _SHAPE.match(text.strip())
    if not match:
        raise Invalid(f"ref: {text[:80]!r} is not an address of the form kref://project/space/slug.kind?r=revision")
    revision, other = match["revision"], match["other"]
    return Address(
        kref=text.strip().split("?", 1)[0],
        revision=int(revision) if revision else None,
        other=int(other) if other else None,
    )


def _segment(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "memory"


def _folded(name: str) -> str:
    """A name without case, width, and all but single blanks."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def _reduced(name: str) -> str:
    """A name as a segment; empty when it has neither letter nor digit."""
    return re.sub(r"[^\w.]+", "-", _folded(name)).strip("-.")


def _distinct(name: str) -> str:
    """A name as a segment, with a hash where reducing lost more than case and blanks: C++ and C# stay two projects."""
    reduced = _reduced(name)
    if reduced and reduced == _folded(name).replace(" ", "-") and len(reduced) <= _PART_CHARS + _HASHED_CHARS:
        return reduced
    return f"{reduced[:_PART_CHARS].strip('-.') or _NAMELESS}-{_hash(_folded(name))}"


def _kind_word(kind: str) -> str:
    folded = _folded(kind)
    word = re.sub(r"[^a-z0-9]+", "_", folded).strip("_")
    if not word[:1].isalpha():
        word = f"k_{word}".rstrip("_")
    if word == re.sub(r"[ -]", "_", folded) and len(word) <= _KIND_CHARS + _HASHED_CHARS:
        return word
    return f"{word[:_KIND_CHARS].strip('_')}_{_hash(folded)}"


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=_HASH_BYTES).hexdigest()
