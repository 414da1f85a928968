package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

const passQuery = `query Pass($number: Int!, $text: String!) {
  pass(number: $number, text: $text) { number stamps text }
}`

// nextService is the next service of the chain.
type nextService struct {
	url string
}

type queryBody struct {
	Query     string  `json:"query"`
	Variables Message `json:"variables"`
}

type resultBody struct {
	Data struct {
		Pass *Answer `json:"pass"`
	} `json:"data"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

func (n *nextService) pass(ctx context.Context, message Message) (*Answer, error) {
	body, err := json.Marshal(queryBody{passQuery, message})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var result resultBody
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, errors.New(result.Errors[0].Message)
	}
	if result.Data.Pass == nil {
		return nil, errors.New("the next service answered nothing")
	}
	return result.Data.Pass, nil
}
