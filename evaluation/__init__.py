"""Studies and metrics over the questions of finished runs. Paper: section 4."""
