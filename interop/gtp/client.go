package gtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Client is a connection to a program that speaks the protocol. It is used by one goroutine.
type Client struct {
	// Patience is the longest wait for an answer, after which the conversation is over; 0: no
	// limit.
	Patience time.Duration

	command string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	replies chan reply
	said    *tail         // the end of its standard error
	heard   chan struct{} // closed when its standard error has ended
	broken  error         // the error that ended the conversation, or nil
}

// reply is the answer to a command: its text, or the error that the program answered.
type reply struct {
	text string
	err  error
}

// Refusal is an answer by which a program refuses a command ("illegal move").
type Refusal struct{ Command, Text string }

func (r *Refusal) Error() string {
	return fmt.Sprintf("it answers %q with %q", r.Command, "? "+r.Text)
}

// Start starts a program. command is its path and its arguments, separated by spaces; arguments
// with spaces are quoted. No shell is involved.
func Start(command string) (*Client, error) {
	words, err := split(command)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	if len(words) == 0 {
		return nil,
			errors.New(
				"the command of a program that speaks GTP is wanted, such as gnugo --mode gtp")
	}
	c := &Client{
		command: command, cmd: exec.Command(words[0], words[1:]...), replies: make(chan reply),
		said: &tail{}, heard: make(chan struct{}),
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", words[0], err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", words[0], err)
	}
	stderr, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", words[0], err)
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", words[0], err)
	}
	go func() {
		defer close(c.heard)
		_, _ = io.Copy(c.said, stderr) // what came before an error is what there is
	}()
	go func() {
		defer close(c.replies)
		readReplies(stdout, c.replies)
	}()
	return c, nil
}

// readReplies sends the answers read from r until r ends.
func readReplies(r io.Reader, replies chan<- reply) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	var lines []string
	for s.Scan() {
		line := strings.TrimRight(s.Text(), "\r")
		switch {
		case len(lines) == 0 && !strings.HasPrefix(line, "=") && !strings.HasPrefix(line, "?"):
			// Not an answer: some programs print a greeting.
		case line != "":
			lines = append(lines, line)
		default:
			replies <- parseReply(lines)
			lines = lines[:0]
		}
	}
}

// parseReply reads the lines of an answer, of which there is at least one.
func parseReply(lines []string) reply {
	text := strings.TrimLeft(lines[0][1:], "0123456789")
	text = strings.TrimSpace(strings.Join(append([]string{text}, lines[1:]...), "\n"))
	if lines[0][0] == '?' {
		return reply{err: errors.New(text)}
	}
	return reply{text: text}
}

// Ask sends a command and returns the text of its answer. The error is a *Refusal if the
// program refuses the command; after any other error the Client can't be used.
func (c *Client) Ask(ctx context.Context, command string) (string, error) {
	if c.broken != nil {
		return "", c.broken
	}
	if _, err := io.WriteString(c.stdin, command+"\n"); err != nil {
		return "", c.fail(command, err, closing)
	}
	var late <-chan time.Time
	if c.Patience > 0 {
		timer := time.NewTimer(c.Patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		c.broken = ctx.Err()
		return "", c.broken
	case <-late:
		return "", c.fail(command, fmt.Errorf("no answer within %v", c.Patience), 0)
	case r, ok := <-c.replies:
		switch {
		case !ok:
			return "", c.fail(command, errors.New("it ended"), closing)
		case r.err != nil:
			return "", &Refusal{command, r.err.Error()}
		}
		return r.text, nil
	}
}

// fail ends the conversation with err, the error of a command. It waits for the end of what the
// program has to say of it, but no longer than the given time.
func (c *Client) fail(command string, err error, wait time.Duration) error {
	c.broken = fmt.Errorf("%s: at %q: %w", c.command, command, err)
	select {
	case <-c.heard:
	case <-time.After(wait):
	}
	if said := c.said.last(); said != "" {
		c.broken = fmt.Errorf("%w; it said: %s", c.broken, said)
	}
	return c.broken
}

// closing is the time that a program has to quit, and in which what it says of its end must arrive.
const closing = 2 * time.Second

// Close tells the program to quit, and kills it if it does not.
func (c *Client) Close() error {
	wait := closing
	if c.broken == nil {
		_, _ = io.WriteString(c.stdin, "quit\n") // if this fails, the end of its input tells it
	} else {
		wait = 0
	}
	c.stdin.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		for range c.replies {
		}
	}()
	killed := false
	select {
	case <-read:
	case <-time.After(wait):
		killed = true
		c.cmd.Process.Kill()
	}
	if !killed {
		select {
		case <-c.heard:
		case <-time.After(wait): // another process may have it open
		}
	}
	err := c.cmd.Wait()
	<-read
	if err != nil && !killed && c.broken == nil {
		return fmt.Errorf("%s: %w", c.command, err)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// split divides a command line at spaces outside of quotes, single or double.
func split(command string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
