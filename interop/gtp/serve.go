package gtp

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// Serve answers the commands read from r until the command quit, the end of r or the end of
// ctx. If ctx ends it returns the context's error; a read from r may then still be in progress.
func (e *Engine) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				failed <- ctx.Err()
				return
			}
		}
		failed <- s.Err()
	}()
	for {
		var line string
		select {
		case <-ctx.Done():
			return ctx.Err()
		case text, ok := <-lines:
			if !ok {
				if err := <-failed; err != nil {
					return fmt.Errorf("read commands: %w", err)
				}
				return nil
			}
			line = text
		}
		c, ok := ParseCommand(line)
		if !ok {
			continue
		}
		text, err := e.Do(c)
		if _, err := io.WriteString(w, answer(c.ID, text, err)); err != nil {
			return fmt.Errorf("answer %s: %w", c.Name, err)
		}
		if c.Name == "quit" && err == nil {
			return nil
		}
	}
}
