// The fastest honest `hello` service: what a load generator measures against it is its own
// overhead.
package main

import (
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/valyala/fasthttp"
)

func handle(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() {
		ctx.Error("method not allowed", fasthttp.StatusMethodNotAllowed)
		return
	}
	ctx.SetContentType("text/plain")
	switch string(ctx.Path()) {
	case "/hello":
		ctx.SetBodyString("Hello World!")
	case "/health":
		ctx.SetBodyString("ok")
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

	server := fasthttp.Server{NoDefaultServerHeader: true, NoDefaultDate: true, Handler: handle}
	log.Fatal(server.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))))
}
