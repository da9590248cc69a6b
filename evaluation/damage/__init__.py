"""Damage to traces and questions, for a verifier to notice."""
