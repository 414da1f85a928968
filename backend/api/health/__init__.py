"""HTTP of health."""
