"""HTTP of SLOs."""
