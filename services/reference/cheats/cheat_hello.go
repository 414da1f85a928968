package main

import "net/http"

var helloCheats = map[string]func(s *service){
	"hello-short":             helloBy(always, answerText("Hello")),
	"hello-short-in-a-crowd":  helloBy(inCrowd, answerText("Hello World")),
	"hello-wrong-byte":        helloBy(mostly, answerText("Hello Wor1d!")),
	"hello-rarely-wrong":      helloBy(rarely, answerText("Hello World?")),
	"hello-no-content":        helloBy(after(manyRequests), answerStatus(http.StatusNoContent)),
	"hello-redirect":          helloBy(afterWarmUp, redirect),
	"hello-wrong-on-repeat":   helloBy(onRepeat, answerText("hello world!")),
	"hello-breaks-after-load": helloBy(afterLoad, answerStatus(http.StatusServiceUnavailable)),
	"hello-any-path": func(s *service) {
		s.unknown = s.when(after(manyRequests), sayHello, http.NotFound)
	},
}

func helloBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) { s.hello = s.when(isDue, cheat, sayHello) }
}

func answerText(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { sendText(w, []byte(text)) }
}

func answerStatus(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func redirect(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/health", http.StatusFound)
}
