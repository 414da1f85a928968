"""Nouns of people: accounts, sessions, members, tokens, workspaces and the audit log."""
