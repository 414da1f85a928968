"""HTTP of the queue."""
