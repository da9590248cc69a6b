"""The rules of the offline backend for questions about temporal tables. Paper: TDBench, section 3.3."""
