"""The tools that the agent has, one module per family."""
