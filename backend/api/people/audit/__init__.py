"""HTTP of the audit log."""
