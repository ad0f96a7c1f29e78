"""Alembic's entry: runs the revisions on the connection that `Database.migrate` gives."""

from alembic import context

from memory_core.models import artifact, job, memory, turn
from memory_core.models.base import Table

FAMILIES = (turn, memory, artifact, job)
"""Every module of tables; importing one registers its tables."""

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Table.metadata, render_as_batch=True, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
connection.commit()
