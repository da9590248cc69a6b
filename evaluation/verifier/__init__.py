"""The study of the verifier."""
