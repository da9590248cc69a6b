"""Time-sensitive questions from temporal tables. Paper: TDBench (ICLR 2026)."""
