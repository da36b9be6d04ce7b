"""Agents that need no model; they are labelled as reference agents wherever their results appear."""
