"""The write path: from a turn to statements worth keeping."""
