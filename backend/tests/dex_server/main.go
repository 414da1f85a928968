// Command dex_server runs Dex for tests of single sign-on: local passwords, in memory.
//
// Dex regards the e-mail address of every local password as verified. The connector "unverified"
// is for people whose address the provider has not verified.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/pkg/log"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/dexidp/dex/web"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"
)

type config struct {
	Issuer       string   `json:"issuer"`
	Address      string   `json:"address"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	RedirectURIs []string `json:"redirect_uris"`
	People       []person `json:"people"`
}

type person struct {
	Subject    string `json:"subject"`
	Email      string `json:"email"`
	Name       string `json:"name"`
	Password   string `json:"password"`
	IsVerified bool   `json:"is_verified"`
}

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var given config
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	logger := logrus.New()
	store, err := fill(given, logger)
	if err != nil {
		return err
	}
	dex, err := server.NewServer(context.Background(), server.Config{
		Issuer:             given.Issuer,
		Storage:            store,
		SkipApprovalScreen: true,
		Now:                time.Now,
		Web:                server.WebConfig{WebFS: web.FS()},
		Logger:             logger,
		PrometheusRegistry: prometheus.NewRegistry(),
	})
	if err != nil {
		return err
	}
	return http.ListenAndServe(given.Address, dex)
}

func fill(given config, logger log.Logger) (storage.Storage, error) {
	store := memory.New(logger)
	var passwords []storage.Password
	var others []person
	for _, p := range given.People {
		if !p.IsVerified {
			others = append(others, p)
			continue
		}
		hash, err := bcrypt.GenerateFromPassword([]byte(p.Password), bcrypt.DefaultCost)
		if err != nil {
			return nil, err
		}
		passwords = append(passwords, storage.Password{
			Email: p.Email, Hash: hash, Username: p.Name, UserID: p.Subject,
		})
	}
	server.ConnectorsConfig["unverified"] = func() server.ConnectorConfig {
		return &unverified{others}
	}
	store = storage.WithStaticClients(store, []storage.Client{{
		ID:           given.ClientID,
		Secret:       given.ClientSecret,
		Name:         "Tacho",
		RedirectURIs: given.RedirectURIs,
	}})
	store = storage.WithStaticPasswords(store, passwords, logger)
	return storage.WithStaticConnectors(store, []storage.Connector{
		{ID: server.LocalConnector, Type: server.LocalConnector, Name: "Email"},
		{ID: "unverified", Type: "unverified", Name: "an unverified address"},
	}), nil
}

type unverified struct{ people []person }

func (u *unverified) Open(string, log.Logger) (connector.Connector, error) { return u, nil }

func (u *unverified) Prompt() string { return "" }

func (u *unverified) Login(
	_ context.Context, _ connector.Scopes, username, password string,
) (connector.Identity, bool, error) {
	for _, p := range u.people {
		if p.Email == username && p.Password == password {
			return connector.Identity{UserID: p.Subject, Username: p.Name, Email: p.Email}, true, nil
		}
	}
	return connector.Identity{}, false, nil
}
