"""The words for each metric: what the best framework does, and how two results differ; pure.

This is the only table of such words. `2× more` means twice as much, and `2× less` half as much.
"""

from dataclasses import dataclass

from backend.core.units import METRICS, Direction, Metric, MetricInfo


@dataclass(frozen=True)
class MetricWords:
    """The words for the values of a metric.

    Attributes:
        one, many: verbs of one framework and of several.
        best: what follows the verb for the best framework: `the least CPU per request`.
        lower, higher: adjectives of a framework with a lower or higher value.
        amount: what a framework has less or more of: `CPU per request`. None if the adjectives
            describe a difference.
        is_framework: whether the adjectives describe a framework, such as `faster`, or its value,
            such as `lower`.
        less: `fewer` for what is counted.
        noun: what the value is called, if not by the title of the metric.
    """

    one: str
    many: str
    best: str
    lower: str
    higher: str
    amount: str | None = None
    is_framework: bool = True
    less: str = "less"
    noun: str | None = None

    def verb(self, count: int) -> str:
        """Return the verb for so many frameworks."""
        return self.one if count == 1 else self.many

    def adjective(self, *, is_more: bool) -> str:
        """Return how a framework with a higher or lower value is called: `costlier`."""
        return self.higher if is_more else self.lower

    def comparative(self, *, is_more: bool) -> str:
        """Return the word after a factor: `more`, as in `uses 2× more`; else the adjective."""
        if self.amount is None:
            return self.adjective(is_more=is_more)
        return "more" if is_more else self.less


def lower_title(title: str) -> str:
    """Return a title for the middle of a sentence: `latency p99`, but `CPU per request`."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _cost(amount: str) -> MetricWords:
    return MetricWords("uses", "use", f"the least {amount}", "cheaper", "costlier", amount)


def _time(best: str) -> MetricWords:
    return MetricWords("is", "are", best, "faster", "slower")


def _count(one: str, many: str, amount: str) -> MetricWords:
    best = f"the fewest {amount}"
    return MetricWords(one, many, best, "lower", "higher", amount, False, "fewer")


def _value(metric: Metric, noun: str | None = None) -> MetricWords:
    info = METRICS[metric]
    superlative = "highest" if info.direction is Direction.HIGHER else "lowest"
    best = f"the {superlative} {noun or lower_title(info.title)}"
    return MetricWords("has", "have", best, "lower", "higher", is_framework=False, noun=noun)


def _size(best: str) -> MetricWords:
    return MetricWords("has", "have", best, "smaller", "larger", is_framework=False)


def _memory(kind: str) -> MetricWords:
    amount = f"{kind} memory"
    best = f"the least {amount}"
    return MetricWords("uses", "use", best, "smaller", "larger", amount, is_framework=False)


_WORDS: dict[Metric, MetricWords] = {
    **{
        metric: _time(f"fastest by {lower_title(METRICS[metric].title)}")
        for metric in Metric
        if METRICS[metric].unit == "ms"
    },
    Metric.BOOT_MS: _time("fastest to boot"),
    Metric.FIRST_RESPONSE_MS: _time("fastest to the first response"),
    Metric.BUILD_SECONDS: _time("fastest to build"),
    Metric.SUSTAINED_RPS: MetricWords(
        "sustains",
        "sustain",
        "the highest rate",
        "lower",
        "higher",
        is_framework=False,
        noun="sustained rate",
    ),
    Metric.COLD_THROUGHPUT_RPS: _value(Metric.COLD_THROUGHPUT_RPS, "cold throughput"),
    Metric.THREADS_PEAK: _count("uses", "use", "threads"),
    Metric.PAGE_FAULTS_PER_REQUEST: _count("causes", "cause", "page faults per request"),
    Metric.CONNECTIONS_PER_REQUEST: _count("opens", "open", "new connections per request"),
    Metric.CPU_US_PER_REQUEST: _cost("CPU per request"),
    Metric.COLD_CPU_US_PER_REQUEST: _cost("CPU per request when cold"),
    Metric.CPU_SECONDS: _cost("CPU time"),
    Metric.CPU_CORES: _cost("CPU"),
    Metric.MEMORY_PEAK_BYTES: _memory("peak"),
    Metric.MEMORY_ANON_BYTES: _memory("anonymous"),
    Metric.MEMORY_FILE_BYTES: _memory("file"),
    Metric.MEMORY_SOCK_BYTES: _memory("socket"),
    Metric.IDLE_MEMORY_BYTES: _memory("idle"),
    Metric.REQUEST_BYTES: _size("the smallest requests"),
    Metric.RESPONSE_BYTES: _size("the smallest responses"),
    Metric.IMAGE_BYTES: _size("the smallest image"),
}
# Of composites, lower is better.
COMPOSITE_WORDS = MetricWords("is", "are", "best", "better", "worse")


def find_words(metric: Metric) -> MetricWords:
    """Return the words for a metric; most metrics have a lower or higher value."""
    return _WORDS.get(metric) or _value(metric)


def name_best(info: MetricInfo) -> str:
    """Return `Least CPU per request` or `Fastest by latency p99`, to begin a headline."""
    best = find_words(info.metric).best.removeprefix("the ")
    return best[0].upper() + best[1:]
