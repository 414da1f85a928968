"""The version of the rules that make the stored results and outcomes of runs."""

from backend.core.measurement.statistics.version import STATISTICS_VERSION

# Raise it with every change of outcomes or summaries, so that those of old runs are made again.
_RULES = 6
# Other statistics may give other outcomes.
OUTCOME_VERSION = 1_000 * STATISTICS_VERSION + _RULES
