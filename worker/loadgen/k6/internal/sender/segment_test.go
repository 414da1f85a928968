package sender

import (
	"slices"
	"testing"
)

func TestSegmentsShareAllRequests(t *testing.T) {
	for _, count := range []int{1, 2, 3} {
		var numbers []int64
		for index := range count {
			segment := Segment{Index: index, Count: count}
			for k := range int64(10) {
				numbers = append(numbers, segment.number(k))
			}
		}
		slices.Sort(numbers)
		for want, got := range numbers {
			if got != int64(want) {
				t.Fatalf("request %d of %d segments has number %d", want, count, got)
			}
		}
	}
}

func TestSegmentsShareAllConnections(t *testing.T) {
	for _, count := range []int{1, 2, 3} {
		for whole := range 20 {
			sum, fewest, most := 0, whole, 0
			for index := range count {
				share := Segment{Index: index, Count: count}.share(whole)
				sum, fewest, most = sum+share, min(fewest, share), max(most, share)
			}
			if sum != whole || most-fewest > 1 {
				t.Errorf("%d segments of %d connections: sum %d, from %d to %d", count, whole, sum, fewest, most)
			}
		}
	}
}

func TestTheZeroSegmentIsTheWholeLoad(t *testing.T) {
	var whole Segment
	if whole.share(7) != 7 || whole.number(3) != 3 {
		t.Errorf("7 connections became %d, request 3 became %d", whole.share(7), whole.number(3))
	}
}
