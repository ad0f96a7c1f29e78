"""A version of each scope, raised by the database itself whenever a memory of the scope changes.

Triggers rather than statements of ours: no writer, in whichever process, can forget to raise it. A later revision that
rebuilds the table `memory` (batch mode on SQLite) must make them again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
RAISE = (
    "INSERT INTO scopeversion (scope_key, version) VALUES ({row}.scope_key, 1)"
    " ON CONFLICT (scope_key) DO UPDATE SET version = scopeversion.version + 1;"
)
CHANGES = {"insert": ("NEW",), "update": ("OLD", "NEW"), "delete": ("OLD",)}
"""What happens to a memory, to the rows whose scopes it concerns: an update may move a memory."""


def upgrade() -> None:
    op.create_table(
        "scopeversion",
        sa.Column("scope_key", sa.String(), nullable=False),
        sa.Column("version", ROW_NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("scope_key", name="pk_scopeversion"),
    )
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for change, rows in CHANGES.items():
        body = " ".join(RAISE.format(row=row) for row in rows)
        for statement in _on_sqlite(change, body) if on_sqlite else _on_postgresql(change, body):
            op.execute(statement)


def downgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for change in CHANGES:
        op.execute(f"DROP TRIGGER tr_memory_{change}" + ("" if on_sqlite else " ON memory"))
        if not on_sqlite:
            op.execute(f"DROP FUNCTION raise_scope_version_on_{change}")
    op.drop_table("scopeversion")


def _on_sqlite(change: str, body: str) -> list[str]:
    return [f"CREATE TRIGGER tr_memory_{change} AFTER {change.upper()} ON memory BEGIN {body} END"]


def _on_postgresql(change: str, body: str) -> list[str]:
    name = f"raise_scope_version_on_{change}"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$",
        f"CREATE TRIGGER tr_memory_{change} AFTER {change.upper()} ON memory FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]
