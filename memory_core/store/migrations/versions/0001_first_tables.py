"""First tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "indexchange",
        sa.Column("seq", ROW_NUMBER, nullable=False),
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("applied_epoch", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("seq", name="pk_indexchange"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_indexchange_memory_id", "indexchange", ["memory_id"])

    op.create_table(
        "job",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("scope_key", sa.String(), nullable=True),
        sa.Column("payload", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("flow_run_id", sa.String(), nullable=True),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_scope_key_kind_state", "job", ["scope_key", "kind", "state"])
    op.create_index("ix_job_state_created_at", "job", ["state", "created_at"])

    op.create_table(
        "session",
        sa.Column("id", ROW_NUMBER, nullable=False),
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("scope_key", "day", "number", name="uq_session_scope_key_day_number"),
    )
    op.create_index("ix_session_scope_key_last_at", "session", ["scope_key", "last_at"])

    op.create_table(
        "tombstone",
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("text_key", sa.String(), nullable=False),
        sa.Column("forgotten_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope_key", "text_key", name="pk_tombstone"),
    )
    op.create_table(
        "memory",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("kref", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("text_key", sa.String(), nullable=False),
        sa.Column("speaker", sa.String(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("event_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("event_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("superseded_by", sa.String(length=36), nullable=True),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("tags", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("session_id", ROW_NUMBER, nullable=True),
        sa.Column("position", ROW_NUMBER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_memory_session_id_session"),
        sa.PrimaryKeyConstraint("id", name="pk_memory"),
        sa.UniqueConstraint("scope_key", "kref", name="uq_memory_scope_key_kref"),
    )
    op.create_index("ix_memory_scope_key_created_at", "memory", ["scope_key", "created_at", "id"])
    op.create_index("ix_memory_scope_key_text_key", "memory", ["scope_key", "text_key"])
    op.create_index("ix_memory_session_id_position", "memory", ["session_id", "position"])

    op.create_table(
        "turn",
        sa.Column("id", ROW_NUMBER, nullable=False),
        sa.Column("session_id", ROW_NUMBER, nullable=False),
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("session_key", sa.String(), nullable=False),
        sa.Column("turn_key", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("speaker", sa.String(), nullable=True),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=True),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consolidated_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_turn_session_id_session"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
        sa.UniqueConstraint(
            "scope_key",
            "agent_id",
            "session_key",
            "turn_key",
            "role",
            name="uq_turn_scope_key_agent_id_session_key_turn_key_role",
        ),
    )
    op.create_index("ix_turn_scope_key_consolidated_at", "turn", ["scope_key", "consolidated_at", "id"])
    op.create_index("ix_turn_session_id", "turn", ["session_id"])

    op.create_table(
        "memorysource",
        sa.Column("id", ROW_NUMBER, nullable=False),
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("turn_id", ROW_NUMBER, nullable=True),
        sa.Column("turn_key", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memory.id"], name="fk_memorysource_memory_id_memory"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_memorysource_turn_id_turn"),
        sa.PrimaryKeyConstraint("id", name="pk_memorysource"),
        sa.UniqueConstraint("memory_id", "turn_id", name="uq_memorysource_memory_id_turn_id"),
    )
    op.create_index("ix_memorysource_turn_id", "memorysource", ["turn_id"])

    op.create_table(
        "memoryvector",
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("dense", sa.LargeBinary(), nullable=False),
        sa.Column("tokens", sa.LargeBinary(), nullable=False),
        sa.Column("token_width", sa.Integer(), nullable=False),
        sa.Column("keywords", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memory.id"], name="fk_memoryvector_memory_id_memory"),
        sa.PrimaryKeyConstraint("memory_id", name="pk_memoryvector"),
    )


def downgrade() -> None:
    op.drop_table("memoryvector")
    op.drop_table("memorysource")
    op.drop_table("turn")
    op.drop_table("memory")
    op.drop_table("tombstone")
    op.drop_table("session")
    op.drop_table("job")
    op.drop_table("indexchange")
