package check

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tacho/worker/loadgen/k6/internal/nonce"
	"tacho/worker/loadgen/k6/internal/template"
)

const drawn = nonce.Nonce(0x0123456789abcdef)

// observe returns the verdict on a body that arrives in pieces, and its explanation.
func observe(t *testing.T, expect string, r Response, pieces ...string) (Verdict, string, string) {
	t.Helper()
	var given Given
	if err := json.Unmarshal([]byte(expect), &given); err != nil {
		t.Fatal(err)
	}
	expectation, err := New(given, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := &template.Values{}
	values.Set(drawn, nil)
	observer := &Observer{}
	observer.Begin(expectation, values)
	for _, piece := range pieces {
		observer.Watch([]byte(piece), 0)
	}
	body := strings.Join(pieces, "")
	r.Body, r.Length = []byte(body[:min(len(body), expectation.BodyLimit())]), int64(len(body))
	verdict := observer.Judge(r)
	expected, got := observer.Explain(verdict, r)
	return verdict, expected, got
}

// The signatures were computed with `printf %s TEXT | openssl dgst -sha256 -hmac key`.
const (
	signing       = `{"key": "key", "text": "{nonce} {stamp}"}`
	validFor7     = "15b544646651a6ab"
	validForNonce = "b0349a882ba44d37"
)

func TestEachRule(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		expect   string
		response Response
		right    string
		wrong    string
		expected string // of the wrong
		got      string
	}{
		"text":          {`{"text": "Hello {nonce:4}!"}`, Response{}, "Hello 0123!", "Hello 0124!", "Hello 0123!", "Hello 0124!"},
		"text too long": {`{"text": "Hello"}`, Response{}, "Hello", "Hello" + long, "Hello", "5005 bytes: Hello" + long[:1195]},
		"empty text":    {`{"text": ""}`, Response{}, "", "a", "", "a"},
		"integer":       {`{"text": "{integer}"}`, Response{}, "162254319", "162254318", "162254319", "162254318"},
		"length":        {`{"bytes": [3, 4]}`, Response{}, "1234", "12345", "3 to 4 bytes", "5 bytes: 12345"},
		"short":         {`{"bytes": [3, 4]}`, Response{}, "123", "12", "3 to 4 bytes", "2 bytes: 12"},
		"pattern":       {`{"pattern": "^[0-9]+$"}`, Response{}, "12", "1 2", "a body that matches ^[0-9]+$", "3 bytes: 1 2"},
		"part": {
			`{"contains": "\"{nonce:5}\""}`, Response{}, long + `"01234"` + long, `"0123"`,
			`a body that contains "01234"`, `6 bytes: "0123"`,
		},
		"signed text": {
			`{"text": "{stamp} {signature}", "signing": ` + signing + `}`, Response{},
			"7 " + validFor7, "8 " + validFor7,
			"signature of the stamp", "18 bytes: 8 " + validFor7,
		},
		"signature only": {
			`{"text": "{signature}", "signing": {"key": "key", "text": "{nonce}"}}`, Response{},
			validForNonce, validFor7, "signature " + validForNonce + ` of "0123456789abcdef"`, "16 bytes: " + validFor7,
		},
		"signed object": {
			`{"signing": ` + signing + `}`, Response{},
			`{"a": ["b"], "stamp" : 7, "signature":"` + validFor7 + `"}`, `{"stamp": 7}`,
			"a stamp and its signature", `12 bytes: {"stamp": 7}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.response.Status = 200
			for _, size := range []int{len(test.right), 1, 3} {
				verdict, expected, got := observe(t, test.expect, test.response, split(test.right, size)...)
				if verdict.IsWrong() || !verdict.IsAnswered {
					t.Fatalf("right in pieces of %d is wrong: expected %s, got %s", size, expected, got)
				}
				if verdict.IsSigned != strings.Contains(test.expect, "signing") {
					t.Errorf("signed is %v", verdict.IsSigned)
				}
			}
			verdict, expected, got := observe(t, test.expect, test.response, split(test.wrong, 3)...)
			if !verdict.IsWrong() || !verdict.IsAnswered || verdict.IsSigned {
				t.Fatalf("%+v", verdict)
			}
			if test.expected != "signature of the stamp" && expected != test.expected || got != test.got {
				t.Errorf("expected %q, got %q", expected, got)
			}
		})
	}
}

func split(text string, size int) []string {
	var pieces []string
	for len(text) > 0 {
		taken := min(max(size, 1), len(text))
		pieces, text = append(pieces, text[:taken]), text[taken:]
	}
	return pieces
}

func TestStatusTypeAndExtraBytes(t *testing.T) {
	plain := []byte("Text/Plain; charset=utf-8")
	for name, test := range map[string]struct {
		expect     string
		response   Response
		isAnswered bool
		expected   string // "" for a right response
	}{
		"default":     {`{}`, Response{Status: 200}, true, ""},
		"no content":  {`{}`, Response{Status: 204}, false, "status 200"},
		"redirect":    {`{"status": 200}`, Response{Status: 302}, false, "status 200"},
		"refused":     {`{"status": 401}`, Response{Status: 401}, true, ""},
		"accepted":    {`{"status": [400, 499]}`, Response{Status: 200}, false, "status 400 to 499"},
		"in range":    {`{"status": [400, 499]}`, Response{Status: 422}, true, ""},
		"type":        {`{"type": "text/plain"}`, Response{Status: 200, Type: plain}, true, ""},
		"other type":  {`{"type": "text/html"}`, Response{Status: 200, Type: plain}, true, "Content-Type text/html"},
		"no type":     {`{"type": "text/html"}`, Response{Status: 200}, true, "Content-Type text/html"},
		"extra bytes": {`{}`, Response{Status: 200, HasExtra: true}, true, "nothing after the response"},
	} {
		verdict, expected, _ := observe(t, test.expect, test.response)
		if verdict.IsAnswered != test.isAnswered || verdict.IsWrong() != (test.expected != "") ||
			verdict.IsWrong() && expected != test.expected {
			t.Errorf("%s: %+v, expected %q", name, verdict, expected)
		}
	}
}

func TestStreams(t *testing.T) {
	expectation, err := New(Given{Stream: &Stream{Items: 10, GapMs: 10}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(rest string, arrivals ...float64) (Verdict, string) {
		observer := &Observer{}
		observer.Begin(expectation, &template.Values{})
		for _, ms := range arrivals {
			at := time.Duration(ms * float64(time.Millisecond))
			observer.Watch([]byte("half"), at-time.Millisecond)
			observer.Watch([]byte("\n"), at)
		}
		observer.Watch([]byte(rest), time.Second)
		r := Response{Status: 200}
		verdict := observer.Judge(r)
		_, got := observer.Explain(verdict, r)
		return verdict, got
	}
	onTime := []float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	for name, test := range map[string]struct {
		rest      string
		arrivals  []float64
		got       string // "" for a right stream
		isBunched bool
	}{
		"on time":      {"", onTime, "", false},
		"hardly early": {"", []float64{8.1, 18.1, 30, 40, 50, 60, 70, 80, 90, 98.1}, "", false},
		"at the end":   {"", []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}, "", true},
		"three bunched": {
			"", []float64{20, 20, 40, 40, 60, 60, 70, 80, 90, 100}, "", true,
		},
		"two bunched": {"", []float64{20, 20, 40, 40, 50, 60, 70, 80, 90, 100}, "", false},
		"early":       {"", []float64{10, 20, 30, 37, 50, 60, 70, 80, 90, 100}, "line 4 after 37.0 ms", false},
		"too few":     {"", onTime[:9], "9 lines, 0 bytes: ", false},
		"too many":    {"", append(onTime[:10:10], 110), "11 lines, 0 bytes: ", false},
		"cut":         {"half", onTime, "10 lines, 0 bytes: ", false},
	} {
		verdict, got := judge(test.rest, test.arrivals...)
		if verdict.IsWrong() != (test.got != "") || verdict.IsBunched != test.isBunched ||
			verdict.IsWrong() && got != test.got {
			t.Errorf("%s: %+v, got %q", name, verdict, got)
		}
	}
}

func TestShortStreamsAreNeverBunched(t *testing.T) {
	verdict, _, _ := observe(t, `{"stream": {"items": 3, "gapMs": 0}}`, Response{Status: 200}, "1\n2\n3\n")
	if verdict.IsWrong() || verdict.IsBunched {
		t.Errorf("%+v", verdict)
	}
}

func TestACheckAllocatesNothing(t *testing.T) {
	body := []byte("Hello 0123456789abcdef! 7 " + validFor7)
	text := "Hello {nonce}! {stamp} {signature}"
	expectation, err := New(Given{Text: &text, Signing: &Signing{"key", "{nonce} {stamp}"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, observer := &template.Values{}, &Observer{}
	check := func() {
		values.Set(drawn, nil)
		observer.Begin(expectation, values)
		if observer.Judge(Response{Status: 200, Body: body, Length: int64(len(body))}).IsWrong() {
			t.Fatal("wrong")
		}
	}
	if allocated := testing.AllocsPerRun(100, check); allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
}

func TestImpossibleExpectationsAreRefused(t *testing.T) {
	for _, expect := range []string{
		`{"status": "200"}`, `{"status": 20}`, `{"status": [499, 400]}`, `{"bytes": [2, 1]}`,
		`{"pattern": "("}`, `{"text": "{signature}"}`, `{"text": "a", "signing": ` + signing + `}`,
		`{"contains": "{stamp}"}`, `{"stream": {"items": 0, "gapMs": 1}}`,
	} {
		var given Given
		err := json.Unmarshal([]byte(expect), &given)
		if err == nil {
			_, err = New(given, nil)
		}
		if err == nil {
			t.Errorf("%s is accepted", expect)
		}
	}
}
