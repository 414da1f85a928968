"""HTTP of the users of the installation."""
