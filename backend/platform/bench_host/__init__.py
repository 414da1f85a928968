"""What a machine needs to become a bench host."""
