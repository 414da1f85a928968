"""Critical values of t-tests that are repeated after each new observation; pure.

A test at 5 % after every observation is wrong far more often than in 5 % of cases. Here the error
rate of all tests together is spent step by step (K. K. G. Lan & D. L. DeMets, 1983, "Discrete
Sequential Boundaries for Clinical Trials", Biometrika 70), with exact probabilities for an unknown
variance (C. Jennison & B. W. Turnbull, 1991, "Exact Calculations for Sequential t, χ² and F Tests",
Biometrika 78).

Let u = Σx / √(n Σx²), so that t = √(n − 1) · u / √(1 − u²). Without an effect, Σx² is a complete
sufficient statistic of the variance, so by Basu's theorem it is independent of all earlier u. The
next observation divided by √Σx² is then Student's t with n degrees of freedom divided by √n, and u
is a Markov chain that does not depend on the variance. Its distribution is computed on a grid.
"""

from __future__ import annotations

from functools import lru_cache

from backend.core.numeric import Floats, np, special

# Two differences have one degree of freedom, which decides nothing.
FIRST_LOOK = 3
# Enough for critical values that are exact to 0.2 %.
_CELLS = 128
_TABLE = 4001


@lru_cache(maxsize=256)
def find_boundaries(error_rate: float, last: int, spending_power: float) -> tuple[float, ...]:
    """Return the critical value of |t| after 3, 4, …, `last` observations.

    If the observations are independent and normal around 0, |t| exceeds any of its critical values
    with a probability of `error_rate`.

    Args:
        spending_power: the share of the error rate that is spent up to observation n is
            ((n − 2) / (last − 2)) to this power. With a lower power, early tests are less strict.

    Raises:
        ValueError: `last` is below 3, or `error_rate` is not between 0 and 1.
    """
    if last < FIRST_LOOK or not 0 < error_rate < 1:
        raise ValueError(f"no boundaries for {last} observations and {error_rate}")
    sizes = np.arange(FIRST_LOOK, last + 1)
    shares = ((sizes - FIRST_LOOK + 1) / len(sizes)) ** spending_power
    spent = np.diff(error_rate * shares, prepend=0.0)
    # The first analysis is an ordinary t-test. Angles are arcsin |u|.
    found = [float(special.stdtrit(FIRST_LOOK - 1, 1 - spent[0] / 2))]
    edges = _divide(float(np.arctan(found[0] / np.sqrt(FIRST_LOOK - 1))))
    tangents = np.tan(edges) * np.sqrt(FIRST_LOOK - 1)
    masses = np.diff(2 * special.stdtr(FIRST_LOOK - 1, tangents))
    for n, spend in zip(sizes[1:].tolist(), spent[1:].tolist(), strict=True):
        steps = _Steps((edges[1:] + edges[:-1]) / 2, n - 1)
        edge = _find_edge(steps, masses, spend)
        found.append(float(np.tan(edge) * np.sqrt(n - 1)))
        edges = _divide(edge)
        masses = np.diff(steps.share_within(edges), axis=1).T @ masses
    return tuple(found)


class _Steps:
    """Transitions of the angle from cells at n observations to n + 1."""

    def __init__(self, angles: Floats, n: int) -> None:
        self._n = n
        sine = np.sin(angles)[:, None]
        self._amplitude = np.sqrt(n * sine**2 + 1)
        self._phase = np.arctan2(np.sqrt(n) * sine, 1.0)
        # The angle of the next observation, whose tangent is t / √n.
        self._grid = np.linspace(-np.pi / 2, np.pi / 2, _TABLE)
        self._table = special.stdtr(n, np.tan(self._grid[1:-1]) * np.sqrt(n))
        self._table = np.concatenate([[0.0], self._table, [1.0]])

    def share_within(self, edges: Floats) -> Floats:
        """Return, for each cell, the probability that |angle| is then at most each edge."""
        limits = np.sin(edges)[None, :] * np.sqrt(self._n + 1)
        shares: Floats = self._share_below(limits) - self._share_below(-limits)
        return shares

    def _share_below(self, limits: Floats) -> Floats:
        # amplitude · sin(φ + phase) ≤ limit holds below and above an arc of φ.
        arc = np.arcsin(np.clip(limits / self._amplitude, -1.0, 1.0))
        shares: Floats = 1 + self._cdf(arc - self._phase) - self._cdf(np.pi - arc - self._phase)
        return shares

    def _cdf(self, angle: Floats) -> Floats:
        share: Floats = np.interp(angle, self._grid, self._table)
        return share


def _find_edge(steps: _Steps, masses: Floats, spend: float) -> float:
    """Return the angle that the chain exceeds at this analysis with a probability of `spend`."""
    low, high = 0.0, np.pi / 2
    total = float(masses.sum())
    for _ in range(60):
        middle = (low + high) / 2
        beyond = total - float(masses @ steps.share_within(np.array([middle]))[:, 0])
        low, high = (middle, high) if beyond > spend else (low, middle)
    return high


def _divide(edge: float) -> Floats:
    """Return the edges of cells from 0 to the edge, which are narrower towards the edge."""
    edges: Floats = edge * (1 - np.linspace(1.0, 0.0, _CELLS + 1) ** 2)
    return edges
