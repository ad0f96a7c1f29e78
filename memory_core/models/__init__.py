"""Tables of the truth, one module per family."""
