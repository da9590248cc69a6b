"""Language models scored on questions about temporal tables: answer accuracy, time accuracy, and the gap."""
