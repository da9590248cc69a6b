"""`python -m runs.cli`, the same as `chronoqg`."""

from runs.cli import main

main()
