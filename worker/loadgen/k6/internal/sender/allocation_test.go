package sender

import (
	"bufio"
	"net"
	"runtime"
	"testing"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/mix"
)

func TestARequestAllocatesNothing(t *testing.T) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nright")
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		for {
			line, err := reader.ReadSlice('\n')
			if err != nil {
				return false
			}
			if len(line) == 2 {
				_, err = connection.Write(answer)
				return err == nil
			}
		}
	})
	request := mix.Request{
		Path: "/?nonce={nonce}", Expect: check.Given{Text: text("right"), Type: "text/plain"},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	load := sendLoad(t.Context(), t, Parameters{
		Target: target, Requests: []mix.Request{request}, Connections: 4,
	})
	runtime.ReadMemStats(&after)
	if load.checks.Wrong > 0 || load.checks.Sent < 1000 {
		t.Fatalf("checks %+v", load.checks)
	}
	// The start of the load allocates its buffers.
	if count := after.Mallocs - before.Mallocs; count > uint64(load.checks.Sent)/10+700 {
		t.Errorf("%d allocations for %d requests", count, load.checks.Sent)
	}
	t.Logf("%d allocations for %d requests", after.Mallocs-before.Mallocs, load.checks.Sent)
}
