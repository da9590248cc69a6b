"""Configs, run directories and the command line."""
