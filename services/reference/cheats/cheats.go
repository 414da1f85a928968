package main

import (
	"maps"
	"os"
)

// cheats replace parts of the honest services, by the name of their manifest.
var cheats = map[string]func(s *service){}

func init() {
	for _, family := range []map[string]func(s *service){
		helloCheats, upstreamCheats, carsCheats, articlesCheats, gatewayCheats, universitiesCheats,
		tokenCheats, chainCheats,
	} {
		maps.Copy(cheats, family)
	}
}

// isFirst returns whether this process receives the load.
func isFirst() bool { return os.Getenv("PART") == "" }
