"""HTTP of signing in on the command line, with approval in a browser."""
