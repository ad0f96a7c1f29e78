"""Dream runs and what they changed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
JSON = sa.JSON(none_as_null=True)


def upgrade() -> None:
    op.create_table(
        "dreamrun",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("scope_key", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("planned", sa.Integer(), nullable=False),
        sa.Column("reviewed", sa.Integer(), nullable=False),
        sa.Column("counts", JSON, nullable=False),
        sa.Column("notes", JSON, nullable=False),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("trying_seq", sa.Integer(), nullable=True),
        sa.Column("trying_size", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("careful_through", sa.Integer(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("undone_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dreamrun"),
    )
    op.create_index("ix_dreamrun_started_at", "dreamrun", ["started_at", "id"])

    op.create_table(
        "dreamitem",
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("changed", sa.Boolean(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_dreamitem"),
    )

    op.create_table(
        "dreamchange",
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("other_id", sa.String(length=36), nullable=True),
        sa.Column("op", sa.String(), nullable=False),
        sa.Column("detail", sa.Boolean(), nullable=False),
        sa.Column("entity", sa.String(), nullable=False),
        sa.Column("entity_id", sa.String(length=48), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("after", JSON, nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_dreamchange"),
    )
    op.create_index("ix_dreamchange_memory_id", "dreamchange", ["memory_id"])
    op.create_index("ix_dreamchange_other_id", "dreamchange", ["other_id"])
    op.create_index("ix_dreamchange_entity_id", "dreamchange", ["entity_id"])

    op.create_table(
        "dreamreview",
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("due_at", INSTANT, nullable=True),
        sa.Column("parked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("memory_id", name="pk_dreamreview"),
    )

    op.create_table(
        "dreamschedule",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("cron", sa.String(), nullable=True),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("served_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dreamschedule"),
    )
