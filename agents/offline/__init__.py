"""The rule-based backend `offline-rules`: one file a role, no key, no network."""
