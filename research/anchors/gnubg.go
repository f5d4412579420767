package anchors

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"tengen/game"
	"tengen/game/backgammon"
)

// GNUOptions says how GNU Backgammon is started.
type GNUOptions struct {
	Path  string // of the program
	Plies int    // that it looks ahead, from 0
}

// FindGNU returns the path of GNU Backgammon, or an error that says how to install it. Debian puts
// games into a folder that is not always searched.
func FindGNU() (string, error) { return look("gnubg", "/usr/games/gnubg") }

// look returns the first of the paths that is one of a program.
func look(candidates ...string) (string, error) {
	for _, c := range candidates {
		if found, err := exec.LookPath(c); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("GNU Backgammon (%s) is not installed; on Debian: apt-get install gnubg",
		strings.Join(candidates, ", "))
}

// GNU is a running GNU Backgammon. It is used by one goroutine.
type GNU struct {
	cmd    *exec.Cmd
	conn   net.Conn
	lines  *bufio.Reader
	output bytes.Buffer
	// Version is what the program calls itself, such as 1.07.001.
	Version string
	options GNUOptions
}

const (
	startTime = 20 * time.Second // to open its socket
	moveTime  = 60 * time.Second // to answer
)

// StartGNU starts GNU Backgammon and connects to it. Close ends it; so does the end of ctx.
func StartGNU(ctx context.Context, o GNUOptions) (*GNU, error) {
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	e := &GNU{options: o, cmd: exec.CommandContext(ctx, o.Path, "-t", "-q")}
	e.cmd.Stdin = strings.NewReader(fmt.Sprintf(`set automatic roll off
set automatic game off
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation plies %d
set evaluation chequerplay evaluation cubeful off
external localhost:%d
`, o.Plies, port))
	e.cmd.Stdout, e.cmd.Stderr = &e.output, &e.output
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Path, err)
	}
	var dialer net.Dialer
	for began := time.Now(); ; {
		if e.conn, err = dialer.DialContext(ctx, "tcp", address); err == nil {
			break
		}
		if ctx.Err() != nil || time.Since(began) > startTime {
			e.Close()
			return nil, fmt.Errorf("%s opens no socket: %w", o.Path, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	e.lines = bufio.NewReader(e.conn)
	// The answer has four lines: the interface, a format, the engine and the software.
	if err := e.send("version"); err != nil {
		e.Close()
		return nil, err
	}
	for e.Version == "" {
		line, err := e.receive()
		if err != nil {
			e.Close()
			return nil, err
		}
		if v, ok := strings.CutPrefix(line, "Software: "); ok {
			e.Version = v
		}
	}
	return e, nil
}

// Name is gnubg:plies=0.
func (e *GNU) Name() string { return "gnubg:plies=" + strconv.Itoa(e.options.Plies) }

// Close ends the program.
func (e *GNU) Close() {
	if e.conn != nil {
		_ = e.conn.Close()
	}
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait() // it was killed
}

func (e *GNU) send(line string) error {
	if err := e.conn.SetDeadline(time.Now().Add(moveTime)); err != nil {
		return err
	}
	_, err := e.conn.Write([]byte(line + "\n"))
	return err
}

func (e *GNU) receive() (string, error) {
	line, err := e.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("GNU Backgammon does not answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// Turn returns the actions by which GNU Backgammon plays the turn that begins in s, in which more
// than one action is legal or one is that is not a pass.
func (e *GNU) Turn(s *backgammon.State) ([]game.Action, error) {
	board := fibsBoard(s)
	if err := e.send(board); err != nil {
		return nil, err
	}
	answer, err := e.receive()
	if err != nil {
		return nil, err
	}
	actions, err := fibsActions(s, answer)
	if err != nil {
		return nil, fmt.Errorf("GNU Backgammon answers %q to %s: %w", answer, board, err)
	}
	return actions, nil
}

// fibsBoard writes a position in which a turn begins as FIBS does, seen by the player to move, in a
// money game in which nobody has doubled.
func fibsBoard(s *backgammon.State) string {
	const points, bar = 24, 25
	v := s.View()
	own, other := &v.Checkers[v.Mover], &v.Checkers[1-v.Mover]
	words := []string{"board", "tengen", "gnubg", "0", "0", "0", strconv.Itoa(-other[bar])}
	for i := 1; i <= points; i++ {
		words = append(words, strconv.Itoa(own[i]-other[bar-i]))
	}
	words = append(words, strconv.Itoa(own[bar]))
	for _, x := range []int{
		1, v.Dice[0], v.Dice[1], 0, 0, // turn, and both players' dice
		1, 1, 1, 0, // the cube, who may double, and whether one has
		1, -1, 0, bar, // colour, direction, home and bar
		own[0], other[0], own[bar], other[bar],
		v.Left, 0, 0, 0,
	} {
		words = append(words, strconv.Itoa(x))
	}
	return strings.Join(words, ":")
}

// fibsActions returns the actions that play a turn as GNU Backgammon writes it, such as "bar/20*
// 13/8(2)" or "24/18*/13".
func fibsActions(s *backgammon.State, text string) ([]game.Action, error) {
	const bar = 25
	v := s.View()
	want := v.Checkers
	own, other := &want[v.Mover], &want[1-v.Mover]
	for _, word := range strings.Fields(text) {
		word, times, repeated := strings.Cut(word, "(")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(strings.TrimSuffix(times, ")")); err != nil || n < 1 || n > 4 {
				return nil, fmt.Errorf("%q is no number of moves", times)
			}
		}
		places := strings.Split(word, "/")
		if len(places) < 2 {
			return nil, fmt.Errorf("%q is no move", word)
		}
		for range n {
			for i, place := range places {
				p := 0
				switch place = strings.TrimSuffix(place, "*"); place {
				case "off", "0":
				case "bar", "25":
					p = bar
				default:
					var err error
					if p, err = strconv.Atoi(place); err != nil || p < 1 || p >= bar {
						return nil, fmt.Errorf("%q is no point", place)
					}
				}
				switch {
				case i == 0:
					own[p]--
					continue
				case p > 0 && other[bar-p] == 1:
					other[bar-p]--
					other[bar]++
				}
				if i == len(places)-1 {
					own[p]++
				}
			}
		}
	}
	if line := find(s, want, s.Turn(), nil); line != nil {
		return line, nil
	}
	return nil, fmt.Errorf("%q is no turn here", text)
}

// find returns the sequence of actions after which the checkers are as wanted.
func find(s *backgammon.State, want [2][26]int, turn int, line []game.Action) []game.Action {
	if s.Turn() != turn {
		if s.View().Checkers == want {
			return line
		}
		return nil
	}
	for _, a := range s.LegalActions(nil) {
		next := *s
		next.Apply(a)
		if found := find(&next, want, turn, append(line[:len(line):len(line)], a)); found != nil {
			return found
		}
	}
	return nil
}
