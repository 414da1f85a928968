package sender

// A Segment is the share of one load generator if several send the same load. All shares are
// equal. The generators take turns: of Count generators, each sends every Count-th request and has
// every Count-th connection, beginning with its Index. The zero value is the whole load.
type Segment struct {
	Index int
	Count int
}

// share returns how many of the whole load's connections are in the segment.
func (s Segment) share(whole int) int {
	count := s.parts()
	return (whole + count - 1 - s.Index) / count
}

// number returns the number in the whole load of the segment's own k-th request, both counted from 0.
func (s Segment) number(k int64) int64 { return int64(s.Index) + k*int64(s.parts()) }

func (s Segment) parts() int { return max(s.Count, 1) }
