"""HTTP of verdicts."""
