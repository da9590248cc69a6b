"""Scores of question generators: methods, models and benchmarks beside each other."""
