package cmd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/cmd/internal/cmdtest"
	"tengen/game"
)

// newRun makes a run's folder with a network of random weights.
func newRun(t *testing.T, name, gameName, algorithm string) {
	t.Helper()
	cmdtest.NewRun(t, name, gameName, algorithm, 3)
}

// tengen runs a command, and returns its status and what it prints.
func tengen(t *testing.T, stdin, args string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = program.Execute(t.Context(), strings.Fields(args),
		strings.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

const smallGo = "go:size=3,players=3"

// TestEvalAnyPlayers: each of two players, however named, is measured against
// the other, on the game of their networks.
func TestEvalAnyPlayers(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "a", smallGo, "alphazero")
	newRun(t, "d", smallGo, "descent")
	name := game.Must(game.New(smallGo)).Name()
	for _, test := range []struct{ args, player, baseline string }{
		{"d --against a", "ubfm:d,iterations=7,safe=true",
			"az:a,simulations=7,c_puct=0.4,choice=lcb"},
		{"a --against d/checkpoints/000001", "az:a,simulations=7,c_puct=0.4,choice=lcb",
			"ubfm:d/checkpoints/000001,iterations=7,safe=true"},
		{"ubfm:d,iterations=3 --against descent:a,iterations=2", "ubfm:d,iterations=3,safe=true",
			"descent:a,iterations=2,safe=true"},
		{"random --against ubfm:d,iterations=3", "random", "ubfm:d,iterations=3,safe=true"},
		{"ubfm:d,iterations=3 --against random", "ubfm:d,iterations=3,safe=true", "random"},
		{"d --against unit", "ubfm:d,iterations=7,safe=true",
			"uct:simulations=180,c=0.8,utility=unit"},
		{"ubfm:d,time=1ms --against random", "ubfm:d,time=1ms,safe=true", "random"},
	} {
		status, stdout, stderr := tengen(t, "",
			"eval "+test.args+" --simulations 7 --games 2 --opening 2 --json")
		var reports []arena.Report
		if err := json.Unmarshal([]byte(stdout), &reports); err != nil || status != 0 ||
			len(reports) != 1 {
			t.Errorf("eval %s: status %d, %q, %q", test.args, status, stdout, stderr)
			continue
		}
		r := reports[0]
		if r.Player != test.player || r.Baseline != test.baseline || r.Game != name {
			t.Errorf("eval %s: %q against %q in %s", test.args, r.Player, r.Baseline, r.Game)
		}
		if r.Opening != 2 || r.Games != 6 || r.Distinct < 1 || r.BaseGames != 2 ||
			r.BaseDistinct < 1 {
			t.Errorf("eval %s: %+v", test.args, r)
		}
	}
}

func TestEvalSaysWhatItDid(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "d", smallGo, "descent")
	status, stdout, stderr := tengen(t, "",
		"eval ubfm:d,iterations=50,max_nodes=40 --against uct:simulations=5 --games 2 --opening 1")
	for _, want := range []string{
		"ubfm:d,iterations=50,max_nodes=40,safe=true\nin each seat against uct:simulations=5,c=0.8,utility=points\n",
		"opening: the first decision of each game is drawn, each legal action equally likely\n",
		"of 6 games distinct, ", " of the 2 of uct alone\n", "seed 1, ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if want := "moves so far were cut short by max_nodes\n"; status != 0 ||
		!strings.HasSuffix(stderr, want) {
		t.Errorf("status %d; %q is missing in\n%s", status, want, stderr)
	}
}

func TestEvalRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "d", smallGo, "descent")
	newRun(t, "other", "tictactoe", "alphazero")
	for args, want := range map[string]string{
		"az:d":                                "has no policy, which az needs; it plays as ubfm:d or descent:d",
		"d --against other":                   "other was trained on mnk:",
		"d --game tictactoe":                  "d was trained on go:size=3",
		"d --opening -1":                      "--opening -1: a number from 0 to",
		"d --against nowhere":                 "--against nowhere: points, unit or points,unit, a player or a checkpoint is wanted",
		"d --against ubfm:nowhere":            `--against ubfm:nowhere: player "ubfm:nowhere": no checkpoint at nowhere`,
		"random --against uct:c=x":            `--against player "uct:c=x"`,
		"ubfm:d,time=fast --against random":   "a duration such as 1s",
		"ubfm:d,iteration=3 --against random": `did you mean "iterations"`,
	} {
		status, stdout, stderr := tengen(t, "", "eval "+args+" --games 1")
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("eval %s: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
}

// TestPlayWithDescent: a person plays against players that search, and asks why.
func TestPlayWithDescent(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "d", "tictactoe", "descent")
	status, stdout, stderr := tengen(t, "why\na3\nwhy\nquit\n",
		"play --game tictactoe human ubfm:d,iterations=100000 --seed 1")
	for _, want := range []string{
		"X> no player that searches has moved yet\n",
		"O (ubfm:d,iterations=100000): b2\n", // the only answer that does not lose
		"X> O (ubfm:d,iterations=100000) knows to expect X 0.5, O 0.5, after ",
		"  b2 ", " 0.5 exactly\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if status != 0 || stderr != "" {
		t.Errorf("status %d, %q", status, stderr)
	}
	status, stdout, stderr = tengen(t, "",
		"play --game tictactoe descent:d,iterations=20,safe=false ubfm:d,time=5ms --seed 1")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "the game is over: ") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
