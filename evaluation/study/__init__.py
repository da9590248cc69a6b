"""What every study shares: where its traces come from, its directory, its grid, and how it is asked."""
