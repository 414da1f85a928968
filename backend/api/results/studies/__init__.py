"""HTTP of studies."""
