// Package checks counts the checks of a load's responses.
package checks

import (
	"fmt"
	"strings"
	"time"
)

const shownCharacters = 300

// WrongAnswer is a wrong response, as short texts for a person to compare.
type WrongAnswer struct {
	Request  string `json:"request"`
	Expected string `json:"expected"`
	Got      string `json:"got"`

	At time.Duration `json:"-"` // when it arrived, since the start of the load
}

// NewWrongAnswer returns a wrong response with its texts cut to 300 characters.
func NewWrongAnswer(at time.Duration, request, expected, got string) *WrongAnswer {
	return &WrongAnswer{Request: Cut(request), Expected: Cut(expected), Got: Cut(got), At: at}
}

// String returns the wrong response as a line of the log.
func (w *WrongAnswer) String() string {
	return fmt.Sprintf("wrong response to %s: expected %s, got %s", w.Request, w.Expected, w.Got)
}

// Cut returns the first 300 characters of a text. Bytes other than UTF-8 are replaced.
func Cut(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*shownCharacters)], "�")
	if letters := []rune(text); len(letters) > shownCharacters {
		return string(letters[:shownCharacters-1]) + "…"
	}
	return text
}

// Checks holds counts of ordinary requests and, apart, of control requests.
type Checks struct {
	Sent          int64        `json:"sent"`
	Answered      int64        `json:"answered"` // with the expected status
	Resent        int64        `json:"resent"`   // because the service closed a used connection
	Compared      int64        `json:"compared"` // in full
	Wrong         int64        `json:"wrong"`
	Signed        int64        `json:"signed"` // with a valid signature
	Bunched       int64        `json:"bunched"`
	Controls      int64        `json:"controls"`
	ControlsWrong int64        `json:"controls_wrong"`
	FirstWrong    *WrongAnswer `json:"first_wrong"`
}

// Outcome is what the checks of a request found.
type Outcome struct {
	IsControl  bool
	IsAnswered bool
	IsWrong    bool
	IsCompared bool
	IsSigned   bool
	IsBunched  bool
	Resent     int64
}

// Add counts a request.
func (c *Checks) Add(o Outcome) {
	if o.IsControl {
		c.Controls++
		c.ControlsWrong += toCount(o.IsWrong)
		return
	}
	c.Sent++
	c.Resent += o.Resent
	c.Answered += toCount(o.IsAnswered)
	c.Compared += toCount(o.IsCompared)
	c.Wrong += toCount(o.IsWrong)
	c.Signed += toCount(o.IsSigned)
	c.Bunched += toCount(o.IsBunched)
}

func toCount(isCounted bool) int64 {
	if isCounted {
		return 1
	}
	return 0
}

// AddWrong keeps a wrong response if it is the first.
func (c *Checks) AddWrong(answer *WrongAnswer) {
	if answer != nil && (c.FirstWrong == nil || answer.At < c.FirstWrong.At) {
		c.FirstWrong = answer
	}
}

// Take moves the counts of other checks into these.
func (c *Checks) Take(other *Checks) {
	c.Sent += other.Sent
	c.Answered += other.Answered
	c.Resent += other.Resent
	c.Compared += other.Compared
	c.Wrong += other.Wrong
	c.Signed += other.Signed
	c.Bunched += other.Bunched
	c.Controls += other.Controls
	c.ControlsWrong += other.ControlsWrong
	c.AddWrong(other.FirstWrong)
	*other = Checks{}
}
