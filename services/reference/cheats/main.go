// Honest services of all seven scenarios, and the cheats that Tacho must catch. CHEAT names a cheat;
// without it all services are honest. PART names a peer, as in every topology.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

// service holds the parts of the honest services that a cheat may replace.
type service struct {
	load *load

	hello        http.HandlerFunc
	upstream     http.HandlerFunc
	cars         http.HandlerFunc
	getArticles  http.HandlerFunc
	postArticles http.HandlerFunc
	gateway      http.HandlerFunc
	universities http.HandlerFunc
	chain        http.HandlerFunc
	unknown      http.HandlerFunc

	isTokenValid   func(token string) bool
	isMessageValid func(message Message) bool
	steps          *stepper
	findRecords    func(country string) ([]university, error)
	peerRoutes     func(mux *http.ServeMux) // further routes of peers
}

// newService returns the honest services.
func newService() *service {
	s := &service{
		load:           &load{},
		hello:          sayHello,
		upstream:       forwardUpstream,
		cars:           getCars,
		getArticles:    getArticles,
		postArticles:   answerArticles,
		gateway:        forwardGreeting,
		unknown:        http.NotFound,
		isTokenValid:   isTokenValid,
		isMessageValid: Message.isValid,
		findRecords:    readRecords,
		peerRoutes:     func(*http.ServeMux) {},
	}
	s.universities = s.forwardUniversities
	if key := os.Getenv("STEP_KEY"); key != "" {
		s.steps = newStepper(key)
		s.chain = s.passMessage
	}
	return s
}

// routes returns the routes of this process: those of a peer if PART names a peer of a gateway.
func (s *service) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", health)
	switch os.Getenv("PART") {
	case "hello":
		mux.HandleFunc("GET /greeting", greet)
	case "universities":
		mux.HandleFunc("GET /records", s.sendRecords)
	default:
		s.addOwnRoutes(mux)
	}
	if !isFirst() {
		s.peerRoutes(mux)
	}
	return mux
}

func (s *service) addOwnRoutes(mux *http.ServeMux) {
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.unknown(w, r) })
	mux.HandleFunc("GET /hello", s.hello)
	mux.HandleFunc("GET /{$}", s.upstream)
	mux.HandleFunc("GET /cars", s.cars)
	mux.HandleFunc("GET /articles/{size}", s.getArticles)
	mux.HandleFunc("POST /articles", s.postArticles)
	mux.HandleFunc("GET /gateway", s.gateway)
	mux.HandleFunc("GET /universities", s.universities)
	if s.chain != nil {
		mux.HandleFunc("POST /chain", s.chain)
	}
}

func sendText(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.Write(body)
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(w, "the service behind failed", http.StatusBadGateway)
}

func sayHello(w http.ResponseWriter, _ *http.Request) {
	sendText(w, []byte("Hello World!"))
}

func health(w http.ResponseWriter, _ *http.Request) {
	sendText(w, []byte("ok"))
}

func main() {
	s := newService()
	if name := os.Getenv("CHEAT"); name != "" {
		apply, found := cheats[name]
		if !found {
			log.Fatalf("there is no cheat %q", name)
		}
		apply(s)
	}
	server := &http.Server{
		Addr:      net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler:   s.load.watch(s.routes()),
		ConnState: s.load.count,
	}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
