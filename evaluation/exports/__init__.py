"""Benchmarks in the formats of other tools."""
