"""HTTP of workspaces."""
