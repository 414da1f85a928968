package checks

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestControlRequestsAreCountedApart(t *testing.T) {
	var c Checks
	c.Add(Outcome{IsAnswered: true, IsCompared: true, IsSigned: true, IsBunched: true, Resent: 2})
	c.Add(Outcome{IsWrong: true})
	c.Add(Outcome{IsControl: true, IsAnswered: true, Resent: 1})
	c.Add(Outcome{IsControl: true, IsWrong: true})
	encoded, err := json.Marshal(c)
	want := `{"sent":2,"answered":1,"resent":2,"compared":1,"wrong":1,"signed":1,"bunched":1,` +
		`"controls":2,"controls_wrong":1,"first_wrong":null}`
	if err != nil || string(encoded) != want {
		t.Errorf("%s, want %s", encoded, want)
	}
}

func TestTheFirstWrongAnswerOfAllSendersIsKept(t *testing.T) {
	var sum Checks
	for _, second := range []int{3, 2, 4} {
		var own Checks
		answer := NewWrongAnswer(time.Duration(second)*time.Second, "GET /", "a", strings.Repeat("b", second))
		own.Add(Outcome{IsWrong: true})
		own.AddWrong(answer)
		sum.Take(&own)
		sum.Take(&own)
	}
	if sum.Wrong != 3 || sum.FirstWrong.Got != "bb" {
		t.Errorf("%d wrong, first %+v", sum.Wrong, sum.FirstWrong)
	}
}

func TestTextsAreCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 301), strings.Repeat("\xff", 500), "short"} {
		cut := Cut(text)
		if length := len([]rune(cut)); length > 300 || strings.ToValidUTF8(cut, "") != cut {
			t.Errorf("%d characters: %q", length, cut)
		}
	}
	if Cut("short") != "short" || Cut(strings.Repeat("é", 300)) != strings.Repeat("é", 300) {
		t.Error("a short text is changed")
	}
}
