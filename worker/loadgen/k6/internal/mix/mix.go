// Package mix draws the requests of a load from the kinds that its script describes.
package mix

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/nonce"
	"tacho/worker/loadgen/k6/internal/template"
)

// maxFlatBytes is the length up to which a request is copied into one piece, which one system call
// sends faster than several pieces.
const maxFlatBytes = 16 << 10

// idempotentMethods are those that Go's HTTP client sends again. PUT and DELETE are not among them.
var idempotentMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE"}

// Request is a kind of request as lib/load.js passes it.
type Request struct {
	Share     *float64          `json:"share"`
	IsControl bool              `json:"isControl"`
	IsDrawn   bool              `json:"isDrawn"` // the script draws values of each request
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Headers   map[string]string `json:"headers"`
	Body      *string           `json:"body"`
	Expect    check.Given       `json:"expect"`
}

// Kind is a kind of request.
type Kind struct {
	IsControl    bool
	Method       string
	IsIdempotent bool // it may be sent twice
	Path         *template.Template
	Body         *template.Template // nil for none
	Expectation  *check.Expectation
	IsDrawn      bool
	Names        template.Names // of the values that the script draws

	head *template.Template // up to the empty line, or up to the length of the body
}

// A Drawn is a request that the mix or the script has drawn.
type Drawn struct {
	Kind   int // its place in the mix
	Nonce  nonce.Nonce
	Values [][]byte // that the script has drawn, in the order of the names of its kind
	Script any      // what the script returned
}

// Mix draws requests. Only one goroutine may use it at a time.
type Mix struct {
	Nonces *nonce.Generator

	kinds  []*Kind
	limits []uint64 // below which 63 random bits draw each kind but the last
}

// New returns the mix of requests to a service.
func New(target *url.URL, userAgent string, requests []Request) (*Mix, error) {
	shares, err := fillShares(requests)
	if err != nil {
		return nil, err
	}
	made := &Mix{Nonces: nonce.NewGenerator()}
	sum := 0.0
	for index, request := range requests {
		kind, err := newKind(target, userAgent, request)
		if err != nil {
			return nil, err
		}
		made.kinds = append(made.kinds, kind)
		if sum += shares[index]; index < len(requests)-1 {
			made.limits = append(made.limits, uint64(min(sum, 1)*(1<<63)))
		}
	}
	return made, nil
}

// fillShares returns the share of each kind. The kinds without a share get equal parts of the rest.
func fillShares(requests []Request) ([]float64, error) {
	rest, without := 1.0, 0
	for _, request := range requests {
		if request.Share == nil {
			without++
		} else if rest -= *request.Share; *request.Share < 0 {
			return nil, errors.New("the share of a request is negative")
		}
	}
	const tolerance = 1e-9 // of sums of fractions
	if rest < -tolerance || without == 0 && rest > tolerance {
		return nil, fmt.Errorf("the shares of the requests add up to %g instead of 1", 1-rest)
	}
	shares := make([]float64, len(requests))
	for index, request := range requests {
		if request.Share != nil {
			shares[index] = *request.Share
		} else {
			shares[index] = max(rest, 0) / float64(without)
		}
	}
	return shares, nil
}

func newKind(target *url.URL, userAgent string, given Request) (*Kind, error) {
	made := &Kind{IsControl: given.IsControl, Method: given.Method, IsDrawn: given.IsDrawn}
	if made.Method == "" {
		made.Method = "GET"
	}
	made.IsIdempotent = slices.Contains(idempotentMethods, made.Method)
	var names *template.Names
	if given.IsDrawn {
		names = &made.Names
	}
	var err error
	if made.Expectation, err = check.New(given.Expect, names); err != nil {
		return nil, err
	}
	if made.Path, err = parse(given.Path, names); err != nil {
		return nil, err
	}
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n",
		made.Method, strings.TrimSuffix(target.EscapedPath(), "/"), given.Path, target.Host, userAgent)
	for _, name := range slices.Sorted(maps.Keys(given.Headers)) {
		fmt.Fprintf(&head, "%s: %s\r\n", name, given.Headers[name])
	}
	lines := strings.Count(head.String(), "\n")
	if lines != 3+len(given.Headers) || strings.ContainsAny(made.Method+given.Path, " \t") {
		return nil, fmt.Errorf("%s %.80q is not a line of a request", made.Method, given.Path)
	}
	if given.Body == nil {
		head.WriteString("\r\n")
	} else {
		head.WriteString("Content-Length: ")
		if made.Body, err = parse(*given.Body, names); err != nil {
			return nil, err
		}
	}
	made.head, err = parse(head.String(), names)
	return made, err
}

func parse(text string, names *template.Names) (*template.Template, error) {
	return template.Parse(text, names, template.Nonce, template.Integer)
}

// Draw returns a request of a kind by its share, without the values that the script draws.
func (m *Mix) Draw() Drawn {
	kind := len(m.kinds) - 1
	if len(m.limits) > 0 {
		drawn := m.Nonces.Uint64() >> 1
		for index, limit := range m.limits {
			if drawn < limit {
				kind = index
				break
			}
		}
	}
	return Drawn{Kind: kind, Nonce: m.Nonces.Next()}
}

// Kind returns the kind of a request that was drawn, from this mix or from another of the same kinds.
func (m *Mix) Kind(drawn Drawn) *Kind { return m.kinds[drawn.Kind] }

// Write writes a request with these values into a buffer. The pieces of a long body do not fit there
// and follow. They stay valid until the values change.
func (k *Kind) Write(
	buffer []byte, pieces [][]byte, values *template.Values,
) (head []byte, body [][]byte) {
	buffer, pieces = k.head.Append(buffer[:0], values), pieces[:0]
	if k.Body == nil {
		return buffer, pieces
	}
	length := k.Body.Length(values)
	buffer = strconv.AppendInt(buffer, int64(length), 10)
	buffer = append(buffer, "\r\n\r\n"...)
	if length <= maxFlatBytes {
		return k.Body.Append(buffer, values), pieces
	}
	return buffer, k.Body.AppendPieces(pieces, values)
}
