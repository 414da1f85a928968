"""The version of the statistics, which a snapshot records."""

# Raise it by 1 with every change that computes other numbers or outcomes from the same trials:
# estimates, intervals, comparisons, percentiles or steps. Snapshots then show that another version
# computed them. Snapshots saved before the statistics had a version have version 0.
STATISTICS_VERSION = 6
