"""Somebody's benchmark executed again on its graph, and its defects."""
