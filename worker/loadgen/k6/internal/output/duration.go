package output

import (
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
)

// limitSeconds returns how many seconds of a load to count: at most the given number, and no second
// that begins when no scenario begins new iterations any more. While k6 waits for the last iterations
// (gracefulStop), the load is lower than the script intends. A scenario of a number of iterations
// has no known end.
func limitSeconds(seconds int, scenarios lib.ScenarioConfigs) int {
	first, last := time.Duration(0), time.Duration(0)
	isFirst := true
	for _, scenario := range scenarios {
		length, isKnown := findLength(scenario)
		if !isKnown {
			return seconds
		}
		start := scenario.GetStartTime()
		if isFirst || start < first {
			first, isFirst = start, false
		}
		last = max(last, start+length)
	}
	if isFirst {
		return seconds
	}
	// The first request counts from no earlier than the first start.
	whole := int((last - first + time.Second - 1) / time.Second)
	return min(seconds, max(whole, 1))
}

// findLength returns for how long a scenario begins new iterations, and false if that is not known.
func findLength(scenario lib.ExecutorConfig) (time.Duration, bool) {
	switch config := scenario.(type) {
	case executor.ConstantVUsConfig:
		return config.Duration.TimeDuration(), true
	case executor.RampingVUsConfig:
		return sumStages(config.Stages), true
	case *executor.ConstantArrivalRateConfig:
		return config.Duration.TimeDuration(), true
	case *executor.RampingArrivalRateConfig:
		return sumStages(config.Stages), true
	default:
		return 0, false
	}
}

func sumStages(stages []executor.Stage) time.Duration {
	sum := time.Duration(0)
	for _, stage := range stages {
		sum += stage.Duration.TimeDuration()
	}
	return sum
}
