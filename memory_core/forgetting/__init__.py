"""Erase on request and keep it gone."""
