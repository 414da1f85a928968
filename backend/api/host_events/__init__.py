"""HTTP of host events."""
