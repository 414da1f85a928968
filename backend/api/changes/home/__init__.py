"""HTTP of the home page."""
