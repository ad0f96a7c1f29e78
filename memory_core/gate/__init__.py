"""The streaming gate: stage, interrupt, revise."""
