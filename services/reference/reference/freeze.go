package main

import (
	"net"
	"sync"
	"time"
)

const freezeEvery = 10 * time.Second

// A listener that freezes at regular times, like a service whose process is paused. Meanwhile
// nothing accepts connections or reads requests, so both wait in the queues of the kernel. Requests
// that were read before still get their answer.
type freezing struct {
	net.Listener
	mutex sync.RWMutex // write-locked during a freeze
}

func newFreezing(listener net.Listener, duration time.Duration) *freezing {
	f := &freezing{Listener: listener}
	go func() {
		for range time.Tick(freezeEvery) {
			f.mutex.Lock()
			time.Sleep(duration)
			f.mutex.Unlock()
		}
	}()
	return f
}

func (f *freezing) wait() {
	f.mutex.RLock()
	f.mutex.RUnlock() // Nothing is read: this only waits for the end of a freeze.
}

func (f *freezing) Accept() (net.Conn, error) {
	f.wait()
	conn, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &freezingConn{Conn: conn, freezing: f}, nil
}

type freezingConn struct {
	net.Conn
	freezing *freezing
}

func (c *freezingConn) Read(buffer []byte) (int, error) {
	count, err := c.Conn.Read(buffer)
	c.freezing.wait()
	return count, err
}
