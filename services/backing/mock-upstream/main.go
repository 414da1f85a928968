// The third party that scenarios call: it waits, signs the nonce of the call, and counts.
//
// DELAY_MS (default 1000) is the duration of each response. SIGNING_KEY is the key of signatures,
// which services do not have. GET /stats returns the counts, so that a service that only pretends
// to call it is detected.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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

const (
	defaultDelayMS = 1000
	nonceDigits    = 16
	signatureBytes = 8
)

type upstream struct {
	delayMS  int
	key      []byte
	counts   counts
	failures failures
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
	case "POST /fail":
		u.addFailure(ctx)
	default:
		ctx.Error("not found", fasthttp.StatusNotFound)
	}
}

func (u *upstream) answer(ctx *fasthttp.RequestCtx) {
	u.counts.enter()
	defer u.counts.leave()
	nonce := ctx.QueryArgs().Peek("nonce")
	if !isNonce(nonce) {
		ctx.Error("nonce is not 16 lower-case hexadecimal digits", fasthttp.StatusBadRequest)
		return
	}
	if u.failures.apply(ctx, nonce) {
		return
	}
	time.Sleep(time.Duration(u.delayMS) * time.Millisecond)
	ctx.SetBody(sign(u.key, nonce))
}

func (u *upstream) addFailure(ctx *fasthttp.RequestCtx) {
	given := ctx.QueryArgs()
	err := u.failures.add(string(given.Peek("nonce")), failure(given.Peek("how")))
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
	}
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

// sign returns the first 16 hexadecimal digits of the text's HMAC-SHA256.
func sign(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return hex.AppendEncode(nil, mac.Sum(nil)[:signatureBytes])
}

func isNonce(text []byte) bool {
	for _, digit := range text {
		if (digit < '0' || digit > '9') && (digit < 'a' || digit > 'f') {
			return false
		}
	}
	return len(text) == nonceDigits
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

func readKey() []byte {
	key := os.Getenv("SIGNING_KEY")
	if key == "" {
		log.Fatal("SIGNING_KEY is not set; give the key of signatures")
	}
	return []byte(key)
}

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		os.Exit(0)
	}()

	u := &upstream{delayMS: readDelay(), key: readKey()}
	server := &fasthttp.Server{Handler: u.handle, Name: "mock-upstream"}
	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	log.Fatal(server.ListenAndServe(address))
}
