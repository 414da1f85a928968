"""The limits of the caller and of the workspace."""
