package sample

import (
	"slices"
	"strings"
	"testing"
)

var key = strings.Repeat("0123456789abcdef", 4)

// draw returns the positions that a drawer draws of a hundred thousand.
func draw(t *testing.T, key string, sender int) []int {
	t.Helper()
	drawer, err := NewDrawer(key, sender)
	if err != nil {
		t.Fatal(err)
	}
	var drawn []int
	for position := range 100_000 {
		if drawer.Draw(0.01) {
			drawn = append(drawn, position)
		}
	}
	return drawn
}

func TestTheSampleDoesNotDependOnTheOrderOfRequests(t *testing.T) {
	drawn := draw(t, key, 0)
	if len(drawn) < 900 || len(drawn) > 1100 {
		t.Errorf("%d of 100,000 are drawn, want 1,000", len(drawn))
	}
	positions, gaps := map[int]int{}, map[int]int{}
	for index, position := range drawn {
		positions[position%100]++
		if index > 0 {
			gaps[position-drawn[index-1]]++
		}
	}
	for position, count := range positions {
		if count > 40 { // 10 are expected, with a standard deviation of 3
			t.Errorf("%d of the sample have position %d of a hundred", count, position)
		}
	}
	if len(gaps) < 100 {
		t.Errorf("only %d different gaps", len(gaps))
	}
}

func TestTheSampleDependsOnTheKeyAndOnTheSender(t *testing.T) {
	drawn := draw(t, key, 0)
	if !slices.Equal(drawn, draw(t, key, 0)) {
		t.Error("the same key draws another sample")
	}
	others := map[string][]int{
		"another sender": draw(t, key, 1),
		"another key":    draw(t, strings.Repeat("1", 64), 0),
		"no key":         draw(t, "", 0),
		"no key again":   draw(t, "", 0),
	}
	for name, other := range others {
		for second, compared := range others {
			if slices.Equal(drawn, other) || name != second && slices.Equal(other, compared) {
				t.Errorf("%s draws the sample of another", name)
			}
		}
	}
}

func TestAKeyOfAnotherFormIsRefused(t *testing.T) {
	for _, key := range []string{"0123", "no digits"} {
		if _, err := NewDrawer(key, 0); err == nil {
			t.Errorf("%q is accepted", key)
		}
	}
}
