"""Text metrics of generated questions, each with a signature that says which variant it is."""
