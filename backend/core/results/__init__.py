"""Results of runs: summaries, rankings, answers, leaderboards, studies, calibration, goals."""
