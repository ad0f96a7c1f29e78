"""Calls of a chat model that a gateway answers, and which gateway serves whom."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "modelcall",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("gateway_id", sa.String(), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("request", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reply", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_modelcall"),
    )
    op.create_index("ix_modelcall_gateway_id_state", "modelcall", ["gateway_id", "state"])
    op.create_index("ix_modelcall_expires_at", "modelcall", ["expires_at"])
    op.create_table(
        "gateway",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_gateway"),
    )
    op.create_table(
        "gatewayscope",
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("gateway_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("scope_key", name="pk_gatewayscope"),
    )
