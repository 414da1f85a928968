"""HTTP of incidents."""
