package main

import (
	"context"
	"os"
)

type GreetRequest struct {
	Name string `json:"name"`
}

type GreetResponse struct {
	Message string `json:"message"`
}

type Hello struct{}

func (h *Hello) Greet(_ context.Context, request *GreetRequest, response *GreetResponse) error {
	response.Message = os.Getenv("GREETING") + " " + request.Name + "!"
	return nil
}
