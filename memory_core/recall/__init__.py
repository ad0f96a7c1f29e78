"""The read path: a question becomes ranked memories within a budget; no chat model, bounded by a deadline."""
