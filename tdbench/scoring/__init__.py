"""Answer and time accuracy of replies."""
