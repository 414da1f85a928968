"""HTTP of leaderboards."""
