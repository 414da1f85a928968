package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
)

type University struct {
	WebPages      []string `json:"web_pages"`
	Name          string   `json:"name"`
	Domains       []string `json:"domains"`
	AlphaTwoCode  string   `json:"alpha_two_code"`
	Country       string   `json:"country"`
	StateProvince *string  `json:"state-province"`
}

type FindRequest struct {
	Country string `json:"country"`
}

type FindResponse struct {
	Universities []University `json:"universities"`
}

type Universities struct{}

func (u *Universities) Find(_ context.Context, request *FindRequest, response *FindResponse) error {
	text, err := os.ReadFile(filepath.Join(os.Getenv("DATA_DIR"), "universities.json"))
	if err != nil {
		return err
	}
	var all []University
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	response.Universities = []University{}
	for _, university := range all {
		if university.Country == request.Country {
			response.Universities = append(response.Universities, university)
		}
	}
	return nil
}
