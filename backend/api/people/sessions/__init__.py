"""HTTP of signing in and out."""
