"""The verdict about a change of an own service."""
