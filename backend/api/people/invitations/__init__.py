"""HTTP of invitations to a workspace."""
