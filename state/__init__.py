"""Contracts that cross a package border: models, enums and errors, with no input or output."""
