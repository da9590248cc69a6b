"""The audit of question files in the published TDBench layout against their tables."""
