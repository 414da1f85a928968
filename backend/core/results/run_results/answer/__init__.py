"""The answer of a run: what was found and how certain it is, for pages, lists and exports."""
