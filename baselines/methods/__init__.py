"""One file a method; each is found by its file's name."""
