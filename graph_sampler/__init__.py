"""The deterministic sampler: graph and config and seed in, proved traces out; no model, no network."""
