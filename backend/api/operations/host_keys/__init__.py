"""HTTP of the keys with which bench hosts join."""
