"""The results of a run: its cells, its groups, their rankings and sentences, and its gate."""
