"""What each role does for a question about temporal tables. Paper: TDBench, section 3.3."""
