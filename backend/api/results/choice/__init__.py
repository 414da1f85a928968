"""HTTP of choices among frameworks."""
