"""The supervisor of the embedded mode: one foreground process tree that starts, proves itself and ends cleanly."""
