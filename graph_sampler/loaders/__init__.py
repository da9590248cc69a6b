"""Files of a source graph -> raw facts and labels, one module per layout; the only readers of graph files."""
