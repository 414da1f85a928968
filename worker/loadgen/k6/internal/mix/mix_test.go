package mix

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"tacho/worker/loadgen/k6/internal/template"
)

var target = &url.URL{Scheme: "http", Host: "service:80", Path: "/base/"}

func mustMix(t *testing.T, requests ...Request) *Mix {
	t.Helper()
	made, err := New(target, "tacho", requests)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func of[T any](value T) *T { return &value }

func TestKindsAreDrawnByTheirShares(t *testing.T) {
	const count = 100_000
	made := mustMix(t,
		Request{Path: "/a"}, Request{Path: "/b", Share: of(0.1)}, Request{Path: "/c"},
		Request{Path: "/d", Share: of(0.001), IsControl: true})
	drawn := map[string]int{}
	for range count {
		kind := made.Kind(made.Draw())
		drawn[string(kind.Path.Append(nil, &template.Values{}))]++
		if kind.IsControl != (kind == made.kinds[3]) {
			t.Fatal("another kind is a control request")
		}
	}
	for path, share := range map[string]float64{"/a": 0.4495, "/b": 0.1, "/c": 0.4495, "/d": 0.001} {
		if got := float64(drawn[path]) / count; got < share*0.6 || got > share*1.4 ||
			share > 0.01 && (got < share*0.95 || got > share*1.05) {
			t.Errorf("%s has a share of %v, want %v", path, got, share)
		}
	}
}

func TestSharesMustAddUp(t *testing.T) {
	for _, requests := range [][]Request{
		{{Path: "/", Share: of(0.4)}},
		{{Path: "/", Share: of(1.1)}, {Path: "/"}},
		{{Path: "/", Share: of(-0.1)}, {Path: "/"}},
	} {
		if _, err := New(target, "tacho", requests); err == nil {
			t.Errorf("%+v are accepted", requests)
		}
	}
	made := mustMix(t, Request{Path: "/a", Share: of(1.0)}, Request{Path: "/b", Share: of(0.0)})
	for range 1000 {
		if made.Draw().Kind != 0 {
			t.Fatal("a kind without a share is drawn")
		}
	}
}

// write returns the request of a kind with a nonce, in one piece.
func write(kind *Kind) string {
	values := &template.Values{}
	values.Set(0x0123456789abcdef, nil)
	head, body := kind.Write(nil, nil, values)
	return string(head) + string(bytes.Join(body, nil))
}

func TestRequestsAreWritten(t *testing.T) {
	long := strings.Repeat("x", 500_000)
	for name, test := range map[string]struct {
		request Request
		want    string
	}{
		"GET": {
			Request{Path: "/a?n={nonce}", Headers: map[string]string{"X-B": "{nonce:2}", "Accept": "*/*"}},
			"GET /base/a?n=0123456789abcdef HTTP/1.1\r\nHost: service:80\r\nUser-Agent: tacho\r\n" +
				"Accept: */*\r\nX-B: 01\r\n\r\n",
		},
		"POST": {
			Request{Method: "POST", Path: "/a", Body: of(`{"a":{integer}}`)},
			"POST /base/a HTTP/1.1\r\nHost: service:80\r\nUser-Agent: tacho\r\n" +
				"Content-Length: 15\r\n\r\n" + `{"a":162254319}`,
		},
		"empty POST": {
			Request{Method: "POST", Path: "/a", Body: of("")},
			"POST /base/a HTTP/1.1\r\nHost: service:80\r\nUser-Agent: tacho\r\nContent-Length: 0\r\n\r\n",
		},
		"long POST": {
			Request{Method: "POST", Path: "/a", Body: of("{nonce:1}" + long + "{nonce:3:escaped}")},
			"POST /base/a HTTP/1.1\r\nHost: service:80\r\nUser-Agent: tacho\r\nContent-Length: 500019\r\n\r\n" +
				"0" + long + `\u0030\u0031\u0032`,
		},
	} {
		if got := write(mustMix(t, test.request).kinds[0]); got != test.want {
			t.Errorf("%s is %.300q", name, got)
		}
	}
}

func TestARequestCannotContainOthers(t *testing.T) {
	for _, request := range []Request{
		{Path: "/a b"}, {Path: "/a\r\nX: y"}, {Path: "/", Method: "GET /"},
		{Path: "/", Headers: map[string]string{"X": "y\r\n\r\nGET /"}},
	} {
		if _, err := New(target, "tacho", []Request{request}); err == nil {
			t.Errorf("%+v is accepted", request)
		}
	}
}

func TestARequestAllocatesNothing(t *testing.T) {
	made := mustMix(t, Request{Path: "/a?n={nonce}"}, Request{Path: "/{integer}", Share: of(0.1)},
		Request{Method: "POST", Path: "/", Body: of(strings.Repeat("{nonce}", 2000)), Share: of(0.1)})
	var head []byte
	var body [][]byte
	values := &template.Values{}
	draw := func() {
		drawn := made.Draw()
		kind := made.Kind(drawn)
		values.Set(drawn.Nonce, nil)
		head, body = kind.Write(head, body, values)
	}
	for range 100 {
		draw() // the buffers grow
	}
	if allocated := testing.AllocsPerRun(1000, draw); allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
}
