"""Honest task claims on plain git refs."""

__version__ = "0.1.0"
