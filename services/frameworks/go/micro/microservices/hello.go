package main

import (
	"context"
	"fmt"
	"sync/atomic"
)

type GreetRequest struct {
	Name string `json:"name"`
}

type GreetResponse struct {
	Message string `json:"message"`
}

type Hello struct {
	calls atomic.Uint64
}

func (h *Hello) Greet(_ context.Context, request *GreetRequest, response *GreetResponse) error {
	stamp := h.calls.Add(1)
	signature := sign(fmt.Sprintf("%s %d", request.Name, stamp))
	response.Message = fmt.Sprintf("Hello %s! %d %s", request.Name, stamp, signature)
	return nil
}
