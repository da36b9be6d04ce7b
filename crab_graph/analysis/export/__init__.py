"""Taking data elsewhere: datasets, fine-tuning examples, and the logs of other tools."""
