"""HTTP of access tokens."""
