"""The booking store: tables, the write log and its fold, the tool registry, the shared tools."""
