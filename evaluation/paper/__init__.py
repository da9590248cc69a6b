"""The papers' own figures, as data to stand beside a user's."""
