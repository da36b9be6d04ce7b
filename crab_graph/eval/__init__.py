"""Verifiers, metrics, failure modes, fault attribution and statistics (paper section 3.4, A.1)."""
