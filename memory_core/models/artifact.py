"""Made things: texts, plans, code; their revisions, the requests to keep them, and their content on many machines."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, UniqueConstraint
from sqlmodel import Field

from memory_core.models.base import Instant, Json, RowNumber, Table


class Artifact(Table, table=True):
    """A thing the agent made, whatever its revision.

    Attributes:
        id: UUID, drawn from the job that made the first revision.
        project: First part of its address.
        space: Path of its address.
        kind: Suffix of its address; fixed at creation.
        title: As it was given first; redacted.
        title_key: `kref.title_key` of the title; with project, space and kind it says which artifact is meant.
        kref: Address without revision; unique within the scope.
        memory_id: The memory that mentions it.
        current: Number of its newest revision.
        published: Number of the revision that is pinned; None when none is.
    """

    __table_args__ = (
        UniqueConstraint("scope_key", "kref"),
        UniqueConstraint("scope_key", "project", "space", "kind", "title_key"),
    )

    id: str = Field(primary_key=True, max_length=36)
    scope_key: str
    project: str
    space: str
    kind: str
    title: str
    title_key: str = Field(max_length=32)
    kref: str
    memory_id: str = Field(max_length=36, index=True)
    current: int = 1
    published: int | None = None
    tags: list[str] = Field(default_factory=list, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class ArtifactRevision(Table, table=True):
    """One version of an artifact; its content lies in the artifact store.

    Attributes:
        id: UUID, drawn from the job that made it; a node of edges.
        revision: Counts from 1.
        checksum: SHA-256 of the content in UTF-8, by which the artifact store finds it.
        excerpt: How the content begins; empty where content may not leave the machine of the artifact store.
    """

    __table_args__ = (UniqueConstraint("artifact_id", "revision"),)

    id: str = Field(primary_key=True, max_length=36)
    artifact_id: str = Field(foreign_key="artifact.id", max_length=36)
    revision: int
    checksum: str = Field(max_length=64, index=True)
    size_bytes: int
    excerpt: str = ""
    created_at: datetime = Field(sa_type=Instant)


class ArtifactCapture(Table, table=True):
    """A request to keep an artifact, written in one commit with its job; afterwards it says what became of it.

    Attributes:
        number: Order of asking: revisions are made in it, whichever job runs first.
        job_id: The job that does it.
        title: Redacted.
        source_id: A memory or a revision that the artifact was made from; None when none was named.
        checksum: Content in the artifact store.
        speaker: Who asked, as memories show the name.
        artifact_id: The artifact it became a revision of; None while it waits.
        revision: Number of the revision that holds the content.
    """

    __table_args__ = (Index("ix_artifactcapture_identity", "scope_key", "project", "space", "kind", "title_key"),)

    number: int | None = Field(default=None, primary_key=True, sa_type=RowNumber)
    job_id: str = Field(max_length=36, unique=True)
    scope_key: str
    project: str
    space: str
    kind: str
    title: str
    title_key: str = Field(max_length=32)
    tags: list[str] = Field(default_factory=list, sa_type=Json)
    source_id: str | None = Field(default=None, max_length=36)
    checksum: str = Field(max_length=64, index=True)
    size_bytes: int
    speaker: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    artifact_id: str | None = Field(default=None, max_length=36, index=True)
    revision: int | None = None


class ArtifactBlob(Table, table=True):
    """Content of artifacts where machines share no folder."""

    checksum: str = Field(primary_key=True, max_length=64)
    content: bytes = Field(sa_type=LargeBinary)
    stored_at: datetime = Field(sa_type=Instant)
