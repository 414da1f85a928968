// A service that attacks its host before it answers. ATTACK names the attack; without it the service
// is honest. Each attack prints what it gained, and the harness searches these lines for secrets
// that it planted. All attacks end by themselves, also where nothing contains them.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "wait" {
		time.Sleep(10 * time.Minute)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "end" {
		return
	}
	if name := os.Getenv("ATTACK"); name != "" {
		attack, found := attacks[name]
		if !found {
			log.Fatalf("there is no attack %q", name)
		}
		attack()
		fmt.Println("attack ended")
	}
	http.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	log.Fatal(http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), nil))
}

// gain prints a thing that the attack must not have reached.
func gain(format string, values ...any) {
	fmt.Printf("gained "+format+"\n", values...)
}

// amount prints how much the attack used before something stopped it.
func amount(name string, value int) {
	fmt.Printf("amount %s %d\n", name, value)
}
