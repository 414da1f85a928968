// Package http1 parses HTTP/1 responses as their bytes arrive.
package http1

import (
	"bytes"
	"errors"
	"strconv"
)

// maxHeadBytes limits the status line and headers together, and a chunk's size line.
const maxHeadBytes = 64 << 10

var (
	errHeadTooLong = errors.New("the head of the response is too long")
	errMalformed   = errors.New("the response is not HTTP/1")
	headEnd        = []byte("\r\n\r\n")
)

// readState is the part of a response that is expected next.
type readState int

const (
	readHead readState = iota
	readBody
	readToClose
	readChunkSize
	readChunk
	readChunkEnd
	readTrailer
	readDone
)

// Response parses an HTTP/1 response as its bytes arrive. It does not support the method HEAD. It stores at most
// BodyLimit bytes of the body, and passes each piece of the body to Watch unless that is nil.
type Response struct {
	BodyLimit  int
	Watch      func(piece []byte)
	KeepsType  bool // the header Content-Type
	HasBegun   bool
	HasExtra   bool // bytes followed the end of the response
	Status     int
	Type       []byte
	IsLasting  bool // the connection may be used again
	Body       []byte
	BodyLength int64 // of the whole body so far

	state     readState
	remaining int64  // bytes of the body, or of the chunk
	carried   []byte // the beginning of a head or line whose end has not arrived
}

// Reset prepares for the next response.
func (r *Response) Reset(bodyLimit int, watch func(piece []byte)) {
	*r = Response{
		BodyLimit: bodyLimit, KeepsType: r.KeepsType, Watch: watch,
		carried: r.carried[:0], Body: r.Body[:0], Type: r.Type[:0],
	}
}

// IsDone reports whether the response is complete.
func (r *Response) IsDone() bool { return r.state == readDone }

// Feed parses the next bytes. Bytes after the end of the response belong to no request, so the
// connection cannot be used again.
func (r *Response) Feed(data []byte) error {
	r.HasBegun = r.HasBegun || len(data) > 0
	for len(data) > 0 {
		var err error
		switch r.state {
		case readHead:
			data, err = r.takeHead(data)
		case readBody, readChunk:
			data = r.takeBody(data)
		case readToClose:
			r.keep(data)
			return nil
		case readChunkSize, readChunkEnd, readTrailer:
			data, err = r.takeChunkLine(data)
		case readDone:
			r.IsLasting, r.HasExtra = false, !IsTimeoutNotice(data)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IsTimeoutNotice reports whether bytes begin the response 408, which some services send before they
// close an idle connection.
func IsTimeoutNotice(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 12)], []byte(" 408"))
}

// Close handles the end of the connection, and returns whether it completes the response.
func (r *Response) Close() bool {
	if r.state != readToClose {
		return false
	}
	r.state = readDone
	return true
}

func (r *Response) keep(data []byte) {
	r.BodyLength += int64(len(data))
	if r.Watch != nil {
		r.Watch(data)
	}
	if room := r.BodyLimit - len(r.Body); room > 0 {
		r.Body = append(r.Body, data[:min(len(data), room)]...)
	}
}

func (r *Response) takeBody(data []byte) []byte {
	taken := min(int64(len(data)), r.remaining)
	r.keep(data[:taken])
	r.remaining -= taken
	if r.remaining == 0 {
		if r.state == readChunk {
			r.state = readChunkEnd
		} else {
			r.state = readDone
		}
	}
	return data[taken:]
}

// takeUntil cuts data after end. Until end has arrived, it stores data and returns nil.
func (r *Response) takeUntil(data, end []byte) (found, rest []byte, err error) {
	if len(r.carried) == 0 {
		if at := bytes.Index(data, end); at >= 0 {
			return data[:at+len(end)], data[at+len(end):], nil
		}
	}
	begin := max(len(r.carried)-len(end)+1, 0)
	before := len(r.carried)
	r.carried = append(r.carried, data...)
	if at := bytes.Index(r.carried[begin:], end); at >= 0 {
		length := begin + at + len(end)
		found = r.carried[:length]
		r.carried = r.carried[:0]
		return found, data[length-before:], nil
	}
	if len(r.carried) > maxHeadBytes {
		return nil, nil, errHeadTooLong
	}
	return nil, nil, nil
}

func (r *Response) takeHead(data []byte) ([]byte, error) {
	head, rest, err := r.takeUntil(data, headEnd)
	if head == nil || err != nil {
		return rest, err
	}
	return rest, r.parseHead(head[:len(head)-2])
}

// parseHead parses the status line and headers, each with its line end.
func (r *Response) parseHead(head []byte) error {
	// HTTP/1.1 200 OK
	if len(head) < 14 || string(head[:7]) != "HTTP/1." || head[8] != ' ' {
		return errMalformed
	}
	status, err := strconv.Atoi(string(head[9:12]))
	if err != nil || status < 100 {
		return errMalformed
	}
	if status < 200 && status != 101 {
		return nil // informational: the final response follows
	}
	r.Status = status
	r.IsLasting = head[7] != '0'
	length, isChunked := int64(-1), false
	_, lines, _ := bytes.Cut(head, headEnd[:2])
	for len(lines) > 0 {
		var line []byte
		line, lines, _ = bytes.Cut(lines, headEnd[:2])
		if value, isIt := headerValue(line, "content-length"); isIt {
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil || length < 0 {
				return errMalformed
			}
		} else if value, isIt := headerValue(line, "transfer-encoding"); isIt {
			isChunked = isChunked || hasToken(value, "chunked")
		} else if value, isIt := headerValue(line, "connection"); isIt {
			r.IsLasting = hasToken(value, "keep-alive") || (r.IsLasting && !hasToken(value, "close"))
		} else if !r.KeepsType {
			continue
		} else if value, isIt := headerValue(line, "content-type"); isIt {
			r.Type = append(r.Type[:0], value...)
		}
	}
	r.expectBody(length, isChunked)
	return nil
}

// expectBody determines how the body ends (RFC 9112, 6.3).
func (r *Response) expectBody(length int64, isChunked bool) {
	switch {
	case r.Status == 101 || r.Status == 204 || r.Status == 304:
		r.state = readDone
		r.IsLasting = r.IsLasting && r.Status != 101
	case isChunked:
		r.state = readChunkSize
	case length > 0:
		r.state, r.remaining = readBody, length
	case length == 0:
		r.state = readDone
	default:
		r.state, r.IsLasting = readToClose, false
	}
}

// takeChunkLine parses the line before a chunk, the empty line after it, or a line of the trailer.
func (r *Response) takeChunkLine(data []byte) ([]byte, error) {
	line, rest, err := r.takeUntil(data, headEnd[:2])
	if line == nil || err != nil {
		return rest, err
	}
	line = line[:len(line)-2]
	switch r.state {
	case readChunkEnd:
		if len(line) != 0 {
			return nil, errMalformed
		}
		r.state = readChunkSize
	case readTrailer:
		if len(line) == 0 {
			r.state = readDone
		}
	default:
		size, _, _ := bytes.Cut(line, []byte(";"))
		r.remaining, err = strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 64)
		if err != nil || r.remaining < 0 {
			return nil, errMalformed
		}
		r.state = readChunk
		if r.remaining == 0 {
			r.state = readTrailer
		}
	}
	return rest, nil
}

// headerValue returns the value of a header line if it has the given lower-case name.
func headerValue(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' {
		return nil, false
	}
	if !equalsFolded(line[:len(name)], name) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

// hasToken reports whether a header's comma-separated list contains a lower-case token.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		if equalsFolded(bytes.TrimSpace(item), token) {
			return true
		}
	}
	return false
}

func equalsFolded(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for index := range text {
		letter := text[index]
		if 'A' <= letter && letter <= 'Z' {
			letter += 'a' - 'A'
		}
		if letter != lower[index] {
			return false
		}
	}
	return true
}
