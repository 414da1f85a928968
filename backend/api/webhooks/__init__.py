"""HTTP of webhooks."""
