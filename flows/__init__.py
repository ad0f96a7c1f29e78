"""Prefect flows: order, retries and schedules, no decisions."""
