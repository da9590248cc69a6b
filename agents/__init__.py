"""The agents: one file a role, the state machine that connects them, and the backends that play them."""
