"""Authentication of callers: over loopback, with the token, or with a session cookie."""
