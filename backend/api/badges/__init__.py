"""HTTP of badges."""
