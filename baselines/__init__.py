"""Question generators to be scored: the methods of the paper, and what a method is given."""
