package series

import (
	"time"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/histogram"
)

// Cell holds the counts of one second of the load since its last line.
type Cell struct {
	Requests      int64
	Failed        int64
	Connections   int64 // opened in this second
	Errors        failure.Counts
	BytesSent     int64
	BytesReceived int64
	Dropped       int64
	InFlight      time.Duration       // time that requests took within this second, summed
	Latency       histogram.Histogram // of requests that succeeded or timed out, without control requests
	LatencySum    time.Duration
	LatencyMax    time.Duration
	LatencyFailed histogram.Histogram // of requests that failed in another way
	ServiceTime   histogram.Histogram // of successful requests that were due at a time
	Lateness      histogram.Histogram // of requests that were due at a time
	FirstByte     histogram.Histogram // of successful requests, if the scenario requires it
	ScriptWork    time.Duration       // of a script that draws requests or compares every response
	ScriptWait    time.Duration       // time in which that script had nothing to do

	isDirty bool
}

// Line is the JSON line of a second. The lines of the same second add up.
type Line struct {
	Type          string           `json:"type"`
	Second        int              `json:"second"`
	Requests      int64            `json:"requests"`
	Failed        int64            `json:"failed"`
	Connections   int64            `json:"connections_opened"`
	Errors        map[string]int64 `json:"errors"`
	BytesSent     int64            `json:"bytes_sent"`
	BytesReceived int64            `json:"bytes_received"`
	VUs           int64            `json:"vus"`
	InFlight      float64          `json:"in_flight"`
	Dropped       int64            `json:"dropped"`
	LatencySumNs  int64            `json:"latency_sum_ns"`
	LatencyMaxNs  int64            `json:"latency_max_ns"`
	Latency       string           `json:"latency"`
	LatencyFailed string           `json:"latency_failed"`
	ServiceTime   string           `json:"service_time,omitempty"`
	Lateness      string           `json:"lateness,omitempty"`
	FirstByte     string           `json:"first_byte,omitempty"`
	ScriptShare   *float64         `json:"script_share,omitempty"`
}

func (c *Cell) addLatency(latency time.Duration) {
	c.Latency.Add(latency)
	c.LatencySum += latency
	c.LatencyMax = max(c.LatencyMax, latency)
}

// take moves the counts of another cell into this one.
func (c *Cell) take(other *Cell) {
	c.Requests += other.Requests
	c.Failed += other.Failed
	c.Connections += other.Connections
	for kind, count := range other.Errors {
		c.Errors[kind] += count
	}
	c.BytesSent += other.BytesSent
	c.BytesReceived += other.BytesReceived
	c.Dropped += other.Dropped
	c.InFlight += other.InFlight
	c.LatencySum += other.LatencySum
	c.LatencyMax = max(c.LatencyMax, other.LatencyMax)
	c.Latency.Take(&other.Latency)
	c.LatencyFailed.Take(&other.LatencyFailed)
	c.ServiceTime.Take(&other.ServiceTime)
	c.Lateness.Take(&other.Lateness)
	c.FirstByte.Take(&other.FirstByte)
	c.ScriptWork += other.ScriptWork
	c.ScriptWait += other.ScriptWait
	*other = Cell{}
}

// takeLine returns the line of these counts and clears them.
func (c *Cell) takeLine(second int, vus int64) Line {
	line := Line{
		Type:          "second",
		Second:        second,
		Requests:      c.Requests,
		Failed:        c.Failed,
		Connections:   c.Connections,
		Errors:        c.Errors.ByName(),
		BytesSent:     c.BytesSent,
		BytesReceived: c.BytesReceived,
		VUs:           vus,
		InFlight:      c.InFlight.Seconds(),
		Dropped:       c.Dropped,
		LatencySumNs:  c.LatencySum.Nanoseconds(),
		LatencyMaxNs:  c.LatencyMax.Nanoseconds(),
		Latency:       c.Latency.Encode(),
		LatencyFailed: c.LatencyFailed.Encode(),
		ServiceTime:   c.ServiceTime.Encode(),
		Lateness:      c.Lateness.Encode(),
		FirstByte:     c.FirstByte.Encode(),
		ScriptShare:   c.findScriptShare(),
	}
	*c = Cell{}
	return line
}

// findScriptShare returns the share of its time in which the script worked, or nil if there is no such
// script.
func (c *Cell) findScriptShare() *float64 {
	total := c.ScriptWork + c.ScriptWait
	if total == 0 {
		return nil
	}
	share := float64(c.ScriptWork) / float64(total)
	return &share
}
