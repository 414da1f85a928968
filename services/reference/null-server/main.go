// The fastest honest `hello` service: what a load generator measures against it is its own
// overhead.
//
// With PORT=0 it takes a free port; the port is the first line it prints. `/` answers as `/hello`;
// `/count` returns the number of responses of both.
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/valyala/fasthttp"
)

var answered atomic.Int64

func handle(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() {
		ctx.Error("method not allowed", fasthttp.StatusMethodNotAllowed)
		return
	}
	ctx.SetContentType("text/plain")
	switch string(ctx.Path()) {
	case "/hello", "/":
		answered.Add(1)
		ctx.SetBodyString("Hello World!")
	case "/health":
		ctx.SetBodyString("ok")
	case "/count":
		ctx.SetBodyString(strconv.FormatInt(answered.Load(), 10))
	default:
		ctx.Error("not found", fasthttp.StatusNotFound)
	}
}

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		os.Exit(0)
	}()

	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := fasthttp.Server{NoDefaultServerHeader: true, NoDefaultDate: true, Handler: handle}
	log.Fatal(server.Serve(listener))
}
