"""Made things with their revisions; memories that speak of them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("memory", sa.Column("artifact_id", sa.String(length=36), nullable=True))
    op.add_column("memory", sa.Column("part", sa.Integer(), nullable=True))
    op.create_index("ix_memory_artifact_id", "memory", ["artifact_id"])

    op.create_table(
        "artifact",
        sa.Column("id", sa.String(length=36), nullable=False),
        *_identity(),
        sa.Column("kref", sa.String(), nullable=False),
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("current", sa.Integer(), nullable=False),
        sa.Column("published", sa.Integer(), nullable=True),
        sa.Column("tags", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_artifact"),
        sa.UniqueConstraint("scope_key", "kref", name="uq_artifact_scope_key_kref"),
        sa.UniqueConstraint(
            *("scope_key", "project", "space", "kind", "title_key"),
            name="uq_artifact_scope_key_project_space_kind_title_key",
        ),
    )
    op.create_index("ix_artifact_memory_id", "artifact", ["memory_id"])

    op.create_table(
        "artifactrevision",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("artifact_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        *_content(),
        sa.Column("excerpt", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifact.id"], name="fk_artifactrevision_artifact_id_artifact"),
        sa.PrimaryKeyConstraint("id", name="pk_artifactrevision"),
        sa.UniqueConstraint("artifact_id", "revision", name="uq_artifactrevision_artifact_id_revision"),
    )
    op.create_index("ix_artifactrevision_checksum", "artifactrevision", ["checksum"])

    op.create_table(
        "artifactcapture",
        sa.Column("number", ROW_NUMBER, nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        *_identity(),
        sa.Column("tags", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("source_id", sa.String(length=36), nullable=True),
        *_content(),
        sa.Column("speaker", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("artifact_id", sa.String(length=36), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_artifactcapture"),
        sa.UniqueConstraint("job_id", name="uq_artifactcapture_job_id"),
    )
    op.create_index(
        "ix_artifactcapture_identity", "artifactcapture", ["scope_key", "project", "space", "kind", "title_key"]
    )
    op.create_index("ix_artifactcapture_checksum", "artifactcapture", ["checksum"])
    op.create_index("ix_artifactcapture_artifact_id", "artifactcapture", ["artifact_id"])

    op.create_table(
        "artifactblob",
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("checksum", name="pk_artifactblob"),
    )


def _identity() -> tuple[sa.Column[str], ...]:
    names = ("scope_key", "project", "space", "kind", "title")
    return (
        *(sa.Column(name, sa.String(), nullable=False) for name in names),
        sa.Column("title_key", sa.String(length=32), nullable=False),
    )


def _content() -> tuple[sa.Column[str], sa.Column[int]]:
    return (
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
    )
