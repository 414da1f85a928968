"""HTTP of trials."""
