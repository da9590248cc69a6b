"""The report of one run: its tables, figures and a page for each instance."""
