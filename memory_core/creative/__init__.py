"""Memory of made things: texts, code, plans, with their revisions."""
