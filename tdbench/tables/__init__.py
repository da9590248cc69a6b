"""Temporal tables from files and databases into DuckDB."""
