"""The state of the whole installation, for operators and their tools."""
