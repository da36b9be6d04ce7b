"""Domains: a domain's whole self in one place, and the benchmark made from it."""
