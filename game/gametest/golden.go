package gametest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"tengen/game"
)

// Rules is what Record needs of an implementation of a game, fast or naive. An
// implementation with chance must be a game.Chancer too.
type Rules interface {
	CurrentPlayer() game.Player
	LegalActions(dst []game.Action) []game.Action
	Apply(a game.Action)
	Returns(dst []float32)
}

// Record plays s, the initial position, to its end at random and writes the
// playthrough to w in the format that Golden reads. name is the game's canonical name,
// players its number of seats.
func Record(w io.Writer, name string, players int, s Rules, rng *rand.Rand) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "game %s\n", name)
	for s.CurrentPlayer() != game.Nobody {
		what := formatActions(s)
		var a game.Action
		if s.CurrentPlayer() == game.Chance {
			a = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			if len(legal) == 0 {
				return fmt.Errorf("record %s: no action is legal while the current player is %d",
					name, s.CurrentPlayer())
			}
			a = legal[rng.IntN(len(legal))]
		}
		fmt.Fprintf(b, "%s plays %d of %s\n", mover(s.CurrentPlayer()), a, what)
		s.Apply(a)
	}
	utilities := make([]float32, players)
	s.Returns(utilities)
	b.WriteString("returns")
	for _, u := range utilities {
		b.WriteString(" " + strconv.FormatFloat(float64(u), 'g', -1, 32))
	}
	b.WriteString("\n")
	return b.Flush()
}

var update = flag.Bool("update", false, "rewrite the golden playthroughs")

// Rewrite writes a file of testdata, such as playthroughs for Golden, if the test has -update.
func Rewrite(t TB, file string, write func(w io.Writer) error) {
	t.Helper()
	if !*update {
		return
	}
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		err = os.WriteFile(file, b.Bytes(), 0o666)
	}
	if err != nil {
		t.Errorf("%v", err)
	}
}

// Golden replays every playthrough in file, which must be of game g, and reports the
// first line that does not match.
func Golden(t TB, g game.Game, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Errorf("golden playthroughs of %s: %v", g.Name(), err)
		return
	}
	defer f.Close()
	if line, err := replay(g, f); err != nil {
		t.Errorf("%s:%d: %v", file, line, err)
	}
}

// replay replays the playthroughs in r. On an error it returns the number of the line.
func replay(g game.Game, r io.Reader) (int, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	number, games := 0, 0
	var s game.State
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		switch {
		case words[0] == "game":
			if s != nil {
				return number, fmt.Errorf("a playthrough begins before the last one has ended")
			}
			if line != "game "+g.Name() {
				return number, fmt.Errorf("%q, but the game is %q", line, g.Name())
			}
			s = g.NewState()
		case s == nil:
			return number, fmt.Errorf("%q, but a playthrough begins with its game", line)
		case words[0] == "returns":
			if err := checkReturnsLine(g, s, words[1:]); err != nil {
				return number, err
			}
			s = nil
			games++
		default:
			if err := playLine(s, line); err != nil {
				return number, err
			}
		}
	}
	switch {
	case lines.Err() != nil:
		return number, lines.Err()
	case s != nil:
		return number, fmt.Errorf("the last playthrough does not end with its returns")
	case games == 0:
		return number, fmt.Errorf("there is no playthrough")
	}
	return number, nil
}

// playLine checks a line such as "0 plays 4 of 0-8" and plays its action.
func playLine(s game.State, line string) error {
	who, rest, ok := strings.Cut(line, " plays ")
	action, want, ok2 := strings.Cut(rest, " of ")
	a, err := strconv.ParseInt(action, 10, 32)
	if !ok || !ok2 || err != nil {
		return fmt.Errorf("%q is not of the form \"0 plays 4 of 0-8\"", line)
	}
	if s.CurrentPlayer() == game.Nobody {
		return fmt.Errorf("%q, but the game is over", line)
	}
	if mover(s.CurrentPlayer()) != who {
		return fmt.Errorf("%s is to move, not %s", mover(s.CurrentPlayer()), who)
	}
	if err := sameOptions(s, want); err != nil {
		return err
	}
	for _, b := range possibleActions(s) {
		if b == game.Action(a) {
			s.Apply(b)
			return nil
		}
	}
	return fmt.Errorf("%d is played, which is not among %s", a, want)
}

// sameOptions compares the possible actions in s with those in the file.
func sameOptions(s game.State, want string) error {
	got := formatActions(s)
	if s.CurrentPlayer() != game.Chance {
		if got != want {
			return fmt.Errorf("the legal actions are %s, not %s", got, want)
		}
		return nil
	}
	g, w := strings.Fields(got), strings.Fields(want)
	equal := len(g) == len(w)
	for i := 0; equal && i < len(g); i++ {
		a, p, _ := strings.Cut(g[i], "=")
		b, q, _ := strings.Cut(w[i], "=")
		x, _ := strconv.ParseFloat(p, 64)
		y, err := strconv.ParseFloat(q, 64)
		equal = a == b && err == nil && math.Abs(x-y) <= 1e-6
	}
	if !equal {
		return fmt.Errorf("the outcomes of chance are %s, not %s", got, want)
	}
	return nil
}

// checkReturnsLine checks a line such as "returns 1 0".
func checkReturnsLine(g game.Game, s game.State, words []string) error {
	if s.CurrentPlayer() != game.Nobody {
		return fmt.Errorf("the game should be over, but %s is to move", mover(s.CurrentPlayer()))
	}
	utilities := make([]float32, g.Players())
	s.Returns(utilities)
	equal := len(words) == len(utilities)
	for i := 0; equal && i < len(words); i++ {
		x, err := strconv.ParseFloat(words[i], 32)
		equal = err == nil && math.Abs(x-float64(utilities[i])) <= 1e-6
	}
	if !equal {
		return fmt.Errorf("the utilities are %v, not %v", utilities, words)
	}
	return nil
}

func mover(p game.Player) string {
	if p == game.Chance {
		return "chance"
	}
	return strconv.Itoa(int(p))
}

// possibleActions returns the possible actions in s: legal actions or outcomes of chance.
func possibleActions(s Rules) []game.Action {
	if s.CurrentPlayer() != game.Chance {
		return s.LegalActions(nil)
	}
	var actions []game.Action
	for _, o := range s.(game.Chancer).Outcomes(nil) {
		actions = append(actions, o.Action)
	}
	return actions
}

// formatActions formats the possible actions in s: "0-3 5 7-8", or "3=0.25 7=0.75".
func formatActions(s Rules) string {
	var words []string
	if s.CurrentPlayer() == game.Chance {
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			words = append(words, fmt.Sprintf("%d=%v", o.Action, o.Probability))
		}
		return strings.Join(words, " ")
	}
	legal := s.LegalActions(nil)
	for i := 0; i < len(legal); {
		j := i
		for j+1 < len(legal) && legal[j+1] == legal[j]+1 {
			j++
		}
		word := strconv.Itoa(int(legal[i]))
		if j > i {
			word += "-" + strconv.Itoa(int(legal[j]))
		}
		words = append(words, word)
		i = j + 1
	}
	return strings.Join(words, " ")
}
