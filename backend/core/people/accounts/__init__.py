"""People: their accounts, how they sign in, and the one-time links that create accounts."""
