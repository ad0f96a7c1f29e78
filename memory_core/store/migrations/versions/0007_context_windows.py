"""What the context engine keeps: where a window begins, and how long archived turns stay."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contextwindow",
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("session_key", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("edge_index", sa.Integer(), nullable=False),
        sa.Column("edge_before", sa.String(), nullable=False),
        sa.Column("edge_first", sa.String(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope_key", "agent_id", "session_key", "person", name="pk_contextwindow"),
    )
    op.add_column("session", sa.Column("archived_until", sa.DateTime(timezone=True), nullable=True))
