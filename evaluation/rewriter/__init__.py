"""The study of the rewriter."""
