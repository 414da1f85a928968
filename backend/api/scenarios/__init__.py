"""HTTP of scenarios."""
