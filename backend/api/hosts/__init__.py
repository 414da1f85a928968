"""HTTP of hosts."""
