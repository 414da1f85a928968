// The third party that scenarios call: it waits, answers a random number, and counts.
//
// DELAY_MS (default 1000) is the duration of each response. GET /stats returns the counts, so that
// the conformance checks detect a service that only pretends to call it.
package main

import (
	"encoding/json"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const defaultDelayMS = 1000

type upstream struct {
	delayMS int
	counts  counts
}

func (u *upstream) handle(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Method()) + " " + string(ctx.Path()) {
	case "GET /":
		u.answer(ctx)
	case "GET /health":
		ctx.SetBodyString("ok")
	case "GET /stats":
		u.sendStats(ctx)
	case "POST /reset":
		u.counts.reset()
	default:
		ctx.Error("not found", fasthttp.StatusNotFound)
	}
}

func (u *upstream) answer(ctx *fasthttp.RequestCtx) {
	u.counts.enter()
	time.Sleep(time.Duration(u.delayMS) * time.Millisecond)
	ctx.SetBody(strconv.AppendUint(nil, u.counts.leave(), 10))
}

func (u *upstream) sendStats(ctx *fasthttp.RequestCtx) {
	stats := u.counts.read()
	stats.DelayMS = u.delayMS
	body, err := json.Marshal(stats)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

func readDelay() int {
	given := os.Getenv("DELAY_MS")
	if given == "" {
		return defaultDelayMS
	}
	delayMS, err := strconv.Atoi(given)
	if err != nil || delayMS < 0 {
		log.Fatalf("DELAY_MS is %q; give milliseconds, 0 or more", given)
	}
	return delayMS
}

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		os.Exit(0)
	}()

	u := &upstream{delayMS: readDelay()}
	server := &fasthttp.Server{Handler: u.handle, Name: "mock-upstream"}
	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	log.Fatal(server.ListenAndServe(address))
}
