"""HTTP of the state of the installation, for operators."""
