"""Keeps the vector index equal to the tables."""
