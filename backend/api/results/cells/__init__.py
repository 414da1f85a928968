"""HTTP of cells."""
