// Package jsonlines writes JSON objects, one per line.
package jsonlines

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Writer writes whole lines of JSON. Several goroutines may use it at the same time.
type Writer struct {
	mutex  sync.Mutex
	writer io.Writer
}

// NewWriter returns a Writer that writes to another one.
func NewWriter(writer io.Writer) *Writer {
	return &Writer{writer: writer}
}

// Write writes value as one line.
func (w *Writer) Write(value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a line: %w", err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if _, err := w.writer.Write(append(encoded, '\n')); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}
