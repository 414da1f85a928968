// Planted_proxy starts a service and forwards requests to it, with a known cost for each request.
//
//	planted_proxy -burn-us 40 -- ./service
//
// It listens on PORT of HOST, as services of Tacho do. The service gets another PORT of the loopback
// address. The proxy ends when the service ends.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	loopback = "127.0.0.1"
	// No service closes connections that are idle for a shorter time.
	idleTimeout     = time.Second
	idleConnections = 1024
	bufferBytes     = 32 * 1024
	// The clock of the thread in Linux.
	threadClock = 3
)

// cost is what each request costs in addition.
type cost struct {
	burn, sleep time.Duration
}

func main() {
	burn := flag.Int("burn-us", 0, "CPU time per request (µs)")
	sleep := flag.Int("sleep-us", 0, "latency per request (µs)")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: planted_proxy [-burn-us N] [-sleep-us N] -- COMMAND")
	}
	service, address, err := startService(flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	go passSignals(service.Process)
	planted := cost{time.Duration(*burn) * time.Microsecond, time.Duration(*sleep) * time.Microsecond}
	go func() {
		own := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
		log.Fatal(http.ListenAndServe(own, newHandler(address, planted)))
	}()
	os.Exit(waitFor(service))
}

// startService starts the service, and returns the address on which it will listen.
func startService(command []string) (*exec.Cmd, string, error) {
	port, err := findFreePort()
	if err != nil {
		return nil, "", err
	}
	service := exec.Command(command[0], command[1:]...)
	// The last of equal names counts.
	service.Env = append(os.Environ(), "HOST="+loopback, fmt.Sprintf("PORT=%d", port))
	service.Stdout, service.Stderr = os.Stdout, os.Stderr
	return service, fmt.Sprintf("%s:%d", loopback, port), service.Start()
}

func findFreePort() (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func passSignals(service *os.Process) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGTERM, syscall.SIGINT)
	for number := range arrived {
		_ = service.Signal(number)
	}
}

// waitFor returns the exit code of the service.
func waitFor(service *exec.Cmd) int {
	err := service.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return max(ended.ExitCode(), 1)
	}
	if err != nil {
		log.Print(err)
		return 1
	}
	return 0
}

// newHandler returns what spends the cost and forwards a request to the address.
func newHandler(address string, planted cost) http.Handler {
	target := &url.URL{Scheme: "http", Host: address}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			// Services repeat the host and the address of the client in their responses.
			request.Out.Host = request.In.Host
		},
		Transport: &http.Transport{
			MaxIdleConns:        idleConnections,
			MaxIdleConnsPerHost: idleConnections,
			IdleConnTimeout:     idleTimeout,
			DisableCompression:  true,
		},
		BufferPool: &buffers{},
		// Until the service listens, and if it closes a connection.
		ErrorHandler: func(writer http.ResponseWriter, _ *http.Request, _ error) {
			writer.WriteHeader(http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if planted.burn > 0 {
			burn(planted.burn)
		}
		if planted.sleep > 0 {
			time.Sleep(planted.sleep)
		}
		if err := readBody(request); err != nil {
			writer.WriteHeader(http.StatusBadRequest)
			return
		}
		proxy.ServeHTTP(writer, request)
	})
}

// readBody reads the body before the request is forwarded. If the service answered while the end of
// the body was still to be read, Go's server would close the body, and Go's client would then break
// off the response.
func readBody(request *http.Request) error {
	if request.ContentLength == 0 {
		return nil
	}
	content, err := io.ReadAll(request.Body)
	request.Body = io.NopCloser(bytes.NewReader(content))
	request.ContentLength = int64(len(content))
	return err
}

// buffers keeps the buffers of bodies, so that garbage does not add to the noise of the CPU time.
type buffers struct {
	pool sync.Pool
}

func (own *buffers) Get() []byte {
	if found, ok := own.pool.Get().(*[]byte); ok {
		return *found
	}
	return make([]byte, bufferBytes)
}

func (own *buffers) Put(buffer []byte) {
	own.pool.Put(&buffer)
}

// burn uses CPU time, measured by the clock of this thread.
func burn(wanted time.Duration) {
	runtime.LockOSThread() // the clock counts this thread only
	defer runtime.UnlockOSThread()
	for end := readThreadClock() + wanted; readThreadClock() < end; {
	}
}

// readThreadClock uses a raw system call. With ordinary system calls, the watchdog of the Go runtime
// wakes every 20 µs and uses a tenth of a CPU.
func readThreadClock() time.Duration {
	var now syscall.Timespec
	_, _, failure := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0,
	)
	if failure != 0 {
		panic(failure)
	}
	return time.Duration(now.Nano())
}
