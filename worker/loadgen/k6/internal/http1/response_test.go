package http1

import (
	"strings"
	"testing"
)

func TestResponse(t *testing.T) {
	for name, test := range map[string]struct {
		sent      string
		status    int // 0: malformed
		body      string
		isLasting bool
	}{
		"with length":         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright", 200, "right", true},
		"any case":            {"HTTP/1.1 200 OK\r\ncontent-LENGTH:5\r\n\r\nright", 200, "right", true},
		"no reason":           {"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, "", true},
		"no body":             {"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", 204, "", true},
		"closing":             {"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\na", 200, "a", false},
		"closing among other": {"HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 1\r\n\r\na", 200, "a", false},
		"old":                 {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "a", false},
		"old but lasting":     {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 200, "a", true},
		"chunked": {
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nrig\r\n2\r\nht\r\n0\r\n\r\n",
			200, "right", true,
		},
		"chunked with trailer": {
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
			200, "0123456789", true,
		},
		"informational before": {
			"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
			200, "a", true,
		},
		"more than asked for": {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", 200, "a", false},
		"not HTTP":            {"SSH-2.0-OpenSSH_9.6 or so\r\n\r\n", 0, "", false},
		"no number":           {"HTTP/1.1 2x0 OK\r\n\r\n", 0, "", false},
		"negative length":     {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0, "", false},
		"wrong chunk size":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 0, "", false},
		"chunk without end":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 0, "", false},
		"endless head":        {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", maxHeadBytes/6), 0, "", false},
	} {
		// In one piece, byte by byte, and in pieces that cut line ends.
		for _, size := range []int{len(test.sent), 1, 2, 3, 7} {
			var r Response
			r.Reset(100, nil)
			var err error
			for rest := test.sent; len(rest) > 0 && err == nil; {
				taken := min(size, len(rest))
				err = r.Feed([]byte(rest[:taken]))
				rest = rest[taken:]
			}
			if (err != nil) != (test.status == 0) {
				t.Errorf("%s in pieces of %d: error %v", name, size, err)
			}
			if err != nil {
				continue
			}
			if !r.IsDone() || r.Status != test.status || string(r.Body) != test.body ||
				r.IsLasting != test.isLasting {
				t.Errorf("%s in pieces of %d: %+v, body %q", name, size, r, r.Body)
			}
		}
	}
}

func TestResponseThatEndsWithItsConnection(t *testing.T) {
	var r Response
	r.Reset(100, nil)
	if err := r.Feed([]byte("HTTP/1.1 200 OK\r\n\r\nrig")); err != nil || r.IsDone() {
		t.Fatalf("error %v, done %v", err, r.IsDone())
	}
	if err := r.Feed([]byte("ht")); err != nil {
		t.Fatal(err)
	}
	if !r.Close() || !r.IsDone() || string(r.Body) != "right" || r.IsLasting {
		t.Errorf("%+v, body %q", r, r.Body)
	}
}

func TestResponseCutShort(t *testing.T) {
	for _, sent := range []string{
		"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nrig",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nri",
	} {
		var r Response
		r.Reset(0, nil)
		if err := r.Feed([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		if r.Close() {
			t.Errorf("%q counts as whole", sent)
		}
		if r.HasBegun != (sent != "") {
			t.Errorf("%q: has begun is %v", sent, r.HasBegun)
		}
	}
}

func TestALongBodyIsCutAndEachPieceIsWatched(t *testing.T) {
	for _, sent := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n012\r\n7\r\n3456789\r\n0\r\n\r\n",
	} {
		var r Response
		var watched []byte
		r.Reset(4, func(piece []byte) { watched = append(watched, piece...) })
		for index := range len(sent) {
			if err := r.Feed([]byte(sent[index : index+1])); err != nil {
				t.Fatal(err)
			}
		}
		if string(r.Body) != "0123" || r.BodyLength != 10 || string(watched) != "0123456789" {
			t.Errorf("body %q of %d bytes, watched %q", r.Body, r.BodyLength, watched)
		}
	}
}

func TestResetForgetsTheResponseBefore(t *testing.T) {
	var r Response
	for _, body := range []string{"first", "2nd"} {
		r.Reset(100, nil)
		sent := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
			string('0'+rune(len(body))) + "\r\n" + body + "\r\n0\r\n\r\n"
		for index := range len(sent) {
			if err := r.Feed([]byte(sent[index : index+1])); err != nil {
				t.Fatal(err)
			}
		}
		if !r.IsDone() || string(r.Body) != body {
			t.Errorf("body %q, want %q", r.Body, body)
		}
	}
}
