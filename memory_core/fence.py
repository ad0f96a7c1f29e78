"""The fence around recalled memories: recall writes it, capture takes it out again."""

FENCE_TAG = "nightshift-memory"
FENCE_OPEN = f'<{FENCE_TAG} trust="reference-data">'
"""First line of the block. Whoever reads it back must accept other attributes: older blocks may carry them."""
FENCE_CLOSE = f"</{FENCE_TAG}>"
"""Last line of the block; between the two stands no empty line."""
