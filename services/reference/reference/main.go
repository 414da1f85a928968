// A service with known true values: each response takes a latency drawn from a distribution that the
// environment sets, and uses the CPU time that it sets. `GET /truth` and, for each second, the log
// contain the actual values.
package main

import (
	"encoding/json"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const memoryLimit = 512 << 20

type service struct {
	source *source
	burn   time.Duration
	lead   lead
	record *record
}

func (s *service) handle(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() {
		ctx.Error("method not allowed", fasthttp.StatusMethodNotAllowed)
		return
	}
	switch string(ctx.Path()) {
	case "/calibration":
		s.answer(ctx)
	case "/truth":
		s.sendTruth(ctx)
	case "/health":
		ctx.SetBodyString("ok")
	default:
		ctx.Error("not found", fasthttp.StatusNotFound)
	}
}

func (s *service) answer(ctx *fasthttp.RequestCtx) {
	arrived := time.Now()
	latency := s.source.draw()
	burnt := burn(s.burn)
	if err := wait(latency - time.Since(arrived) - s.lead.get()); err != nil {
		log.Print(err)
		ctx.Error("no timer", fasthttp.StatusInternalServerError)
		return
	}
	waited := time.Since(arrived)
	s.lead.learn(waited - latency)
	s.record.add(latency, waited, burnt)
	ctx.SetContentType("text/plain")
	ctx.SetBody(strconv.AppendInt(nil, latency.Nanoseconds(), 10))
}

func (s *service) sendTruth(ctx *fasthttp.RequestCtx) {
	body, err := json.Marshal(s.record.whole())
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

func readNumber(name string) int {
	given := os.Getenv(name)
	if given == "" {
		return 0
	}
	number, err := strconv.Atoi(given)
	if err != nil || number < 0 {
		log.Fatalf("%s is %q; give a whole number, 0 or more", name, given)
	}
	return number
}

func readDistribution() distribution {
	return distribution{
		median:         time.Duration(readNumber("MEDIAN_US")) * time.Microsecond,
		secondMedian:   time.Duration(readNumber("SECOND_MEDIAN_US")) * time.Microsecond,
		sigma:          float64(readNumber("SIGMA_PERCENT")) / 100,
		secondShare:    float64(readNumber("SECOND_PERCENT")) / 100,
		stallsPerBlock: readNumber("STALL_PER_MILLE"),
		stall:          time.Duration(readNumber("STALL_MS")) * time.Millisecond,
	}
}

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		os.Exit(0)
	}()

	// Garbage collection would delay answers. A trial allocates far less than the limit.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	s := &service{
		source: newSource(readDistribution()),
		burn:   time.Duration(readNumber("BURN_US")) * time.Microsecond,
		record: newRecord(),
	}
	go s.record.writeLines()
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	freeze := time.Duration(readNumber("FREEZE_MS")) * time.Millisecond
	if freeze > 0 {
		listener = newFreezing(listener, freeze)
	}
	server := &fasthttp.Server{Handler: s.handle, Name: "reference"}
	log.Fatal(server.Serve(listener))
}
