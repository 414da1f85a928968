"""HTTP of comparisons."""
