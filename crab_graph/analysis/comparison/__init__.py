"""Runs compared with each other: values, and a page."""
