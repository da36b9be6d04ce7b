"""Engines that turn a condition and a record of what was said into the user's next message."""
