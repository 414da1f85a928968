"""The JSON line of a session shows whether the goals are met."""

from tools.chaos.report import summarise


def test_the_goals_are_met_only_if_nothing_is_violated_and_nothing_is_left_out() -> None:
    assert summarise(1, [], [], [])["met"]
    assert not summarise(1, [], ["left behind after Tacho was stopped: process 7"], [])["met"]

    summary = summarise(1, [], [], ["disk of the database"])
    assert summary["left_out"] == ["disk of the database"]
    assert not summary["met"]
