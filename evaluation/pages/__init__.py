"""Tables, pictures and pages: how results are shown."""
