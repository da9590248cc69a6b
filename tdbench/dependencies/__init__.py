"""Temporal functional dependencies: checked, found, mended."""
