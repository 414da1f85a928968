"""People: accounts, access, workspaces, tokens and the audit log."""
