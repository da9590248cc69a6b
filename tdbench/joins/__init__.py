"""Temporal natural joins, what holds on them, and questions that need facts of several tables."""
