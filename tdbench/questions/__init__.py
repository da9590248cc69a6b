"""Temporal SQL over tables, and the questions that it asks."""
