"""Example data: runs of another installation as files, and loading them."""
