"""A domain: what its author declares, and everything that is derived from that."""
