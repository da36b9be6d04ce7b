"""Domains of other shapes than those that ship, each declared in a module."""
