"""The domain library: what is remembered, found, worked on and forgotten; knows neither HTTP nor Prefect."""
