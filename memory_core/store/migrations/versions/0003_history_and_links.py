"""What memories said before, who made them, and edges between them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("memory", sa.Column("made_by", sa.String(), nullable=True))
    op.add_column("memory", sa.Column("job_id", sa.String(length=36), nullable=True))

    op.create_table(
        "memoryrevision",
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memory.id"], name="fk_memoryrevision_memory_id_memory"),
        sa.PrimaryKeyConstraint("memory_id", "revision", name="pk_memoryrevision"),
    )

    op.create_table(
        "link",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(length=36), nullable=False),
        sa.Column("target_id", sa.String(length=36), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_link"),
        sa.UniqueConstraint(
            "scope_key", "source_id", "target_id", "kind", name="uq_link_scope_key_source_id_target_id_kind"
        ),
    )
    op.create_index("ix_link_source_id", "link", ["source_id"])
    op.create_index("ix_link_target_id", "link", ["target_id"])
    op.create_index("ix_link_run_id", "link", ["run_id"])
