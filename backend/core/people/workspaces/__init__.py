"""Workspaces, their members and the invitations to them."""
