"""Access tokens of users and workspaces, for scripts."""
