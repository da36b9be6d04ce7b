"""What was said: normalisation, mentions, amounts, approvals; shared by users and verifiers."""
