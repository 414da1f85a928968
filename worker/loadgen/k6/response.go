package main

import (
	"bytes"
	"errors"
	"strconv"
)

// maxHeadBytes is how long status line and headers may be together, or a chunk's size line.
const maxHeadBytes = 64 << 10

var (
	errHeadTooLong = errors.New("the head of the answer is too long")
	errMalformed   = errors.New("the answer is not HTTP/1")
	headEnd        = []byte("\r\n\r\n")
)

// readState is what a response reader expects next.
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

// response reads one HTTP/1 answer to a GET as its bytes come in. It keeps the body only if
// asked to; all others it counts off.
type response struct {
	isBodyKept bool
	state      readState
	hasBegun   bool
	status     int
	isLasting  bool   // the connection may be used again
	remaining  int64  // bytes of the body, or of the chunk
	carried    []byte // the begin of a head or line that has not come in whole
	body       []byte
}

// reset prepares for the next answer.
func (r *response) reset(isBodyKept bool) {
	*r = response{isBodyKept: isBodyKept, carried: r.carried[:0], body: r.body[:0]}
}

// isDone reports whether the response is complete.
func (r *response) isDone() bool { return r.state == readDone }

// feed takes the next bytes. Bytes beyond the end of the answer belong to no request: the
// connection cannot be used again.
func (r *response) feed(data []byte) error {
	r.hasBegun = r.hasBegun || len(data) > 0
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
			r.isLasting = false
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close takes the end of the connection; it returns whether the answer ends with it.
func (r *response) close() bool {
	if r.state != readToClose {
		return false
	}
	r.state = readDone
	return true
}

func (r *response) keep(data []byte) {
	if r.isBodyKept {
		r.body = append(r.body, data...)
	}
}

func (r *response) takeBody(data []byte) []byte {
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

// takeUntil cuts data after end. While end has not come in it carries data over and gives nil.
func (r *response) takeUntil(data, end []byte) (found, rest []byte, err error) {
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

func (r *response) takeHead(data []byte) ([]byte, error) {
	head, rest, err := r.takeUntil(data, headEnd)
	if head == nil || err != nil {
		return rest, err
	}
	return rest, r.parseHead(head[:len(head)-2])
}

// parseHead reads status line and headers, each with its line end.
func (r *response) parseHead(head []byte) error {
	// HTTP/1.1 200 OK
	if len(head) < 14 || string(head[:7]) != "HTTP/1." || head[8] != ' ' {
		return errMalformed
	}
	status, err := strconv.Atoi(string(head[9:12]))
	if err != nil || status < 100 {
		return errMalformed
	}
	if status < 200 && status != 101 {
		return nil // informational: the answer itself follows
	}
	r.status = status
	r.isLasting = head[7] != '0'
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
			r.isLasting = hasToken(value, "keep-alive") || (r.isLasting && !hasToken(value, "close"))
		}
	}
	r.expectBody(length, isChunked)
	return nil
}

// expectBody settles how the body ends (RFC 9112, 6.3).
func (r *response) expectBody(length int64, isChunked bool) {
	switch {
	case r.status == 101 || r.status == 204 || r.status == 304:
		r.state = readDone
		r.isLasting = r.isLasting && r.status != 101
	case isChunked:
		r.state = readChunkSize
	case length > 0:
		r.state, r.remaining = readBody, length
	case length == 0:
		r.state = readDone
	default:
		r.state, r.isLasting = readToClose, false
	}
}

// takeChunkLine reads the line before a chunk, the empty one after it, or one of the trailer.
func (r *response) takeChunkLine(data []byte) ([]byte, error) {
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

// headerValue returns the value of a header line if its name is the given one, in lower case.
func headerValue(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' {
		return nil, false
	}
	if !equalsFolded(line[:len(name)], name) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

// hasToken looks for a token, in lower case, in a header's comma separated list.
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
