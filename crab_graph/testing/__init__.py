"""Scripted models and other helpers for tests of agents; part of the public package."""
