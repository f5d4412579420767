package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/player"
)

// oddRuns are names of runs that shells, flags, or the notation of players give a meaning to.
// Several are beginnings of others, with what would be keys of a player after them.
var oddRuns = []string{
	"base", "base,c=2", "a=10,b=20", "a,b", "a b", " a", "it's", `say "x"`, `"x"`, "x:y", "az:base",
	"uct", "human", "turtle", "go-5x5x3", "quick", "[", "a]", "a;b",
	"a@10", "-x", "--run", "50%d", "Läufe", "a\nb", "caf\xe9", "$HOME", "`id`", `a\b`, "a.", "*?",
	"(a)&|!#", "./~", "slash/", strings.Repeat("x", 200),
}

const tiny = "--set game=tictactoe --set selfplay.cache_mib=1 --set network.blocks=1 --set network.filters=8 --set network.hidden=8 --set search.simulations=2 --set warm_start.simulations=2 --set warm_start.initial_games=1 --set training.iterations=1 --set training.games=1 --set training.batch=2 --set training.max_steps=1 --set evaluation.every=0 --listen none"

// TestOddRuns: a run is found by its name, whatever that is, by each command that takes one, and
// what is printed of it can be pasted.
func TestOddRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no shell to paste into")
	}
	t.Chdir(t.TempDir())
	g := game.Must(game.New("tictactoe"))
	for _, name := range oddRuns {
		var out, problem bytes.Buffer
		run := func(args ...string) string {
			t.Helper()
			out.Reset()
			problem.Reset()
			if status := program.Execute(t.Context(), args, strings.NewReader("quit\n"), &out,
				&problem); status != 0 {
				t.Errorf("%q: %.30q: status %d: %.500s", name, args, status, &problem)
			}
			return out.String()
		}
		run(append([]string{"train", "--run", name}, strings.Fields(tiny)...)...)
		m := regexp.MustCompile(`(?m)measure it against UCT with: (.*)$`).
			FindStringSubmatch(problem.String())
		if m == nil {
			t.Errorf("%q: train prints\n%s", name, &problem)
			continue
		}
		want, err := player.LoadModel(filepath.Join(name, "checkpoints", "000001"))
		if err != nil {
			t.Fatal(err)
		}
		// same checks that a player is the network of the run.
		same := func(text string) {
			t.Helper()
			if p, err := player.Parse(g, text); err != nil ||
				player.Parameters(p).Digest() != want.Params.Digest() {
				t.Errorf("%q: %s is another player, or none: %v", name, text, err)
			}
		}
		pasted := exec.Command(bash, "-c", m[1]+" --games 1 --json")
		pasted.Stdout, pasted.Stderr = &out, &problem
		out.Reset()
		if err := pasted.Run(); err != nil {
			t.Errorf("%q: %s: %v: %s", name, m[1], err, &problem)
		}
		var reports []arena.Report
		if err := json.Unmarshal(out.Bytes(), &reports); err != nil || len(reports) == 0 {
			t.Errorf("%q: %s prints %s", name, m[1], &out)
			continue
		}
		same(reports[0].Player)

		path := notation.Path(name)
		if name == human {
			path = "./" + name // which is a person in play
		}
		match := run("arena", path, reports[0].Player, "uct:simulations=2", "--simulations", "2",
			"--games", "6", "--json")
		var standings arena.Standings
		if err := json.Unmarshal([]byte(match), &standings); err != nil ||
			len(standings.Players) != 3 {
			t.Errorf("%q: arena prints %s", name, match)
		} else {
			same(standings.Players[0].Name)
			same(standings.Players[1].Name)
		}
		run("export", path, "--out", "out.safetensors", "--no-fold", "--force")
		if m, err := player.LoadModel("out.safetensors"); err != nil ||
			m.Params.Digest() != want.Params.Digest() {
			t.Errorf("%q: another network is exported: %v", name, err)
		}
		run("export", path, "--format", "csv", "--out", "out.csv", "--force")
		run("inspect", path)
		run("inspect", path+"@1")
		run("watch", path, "--once")
		run("compare", path, "base")
		run("play", "tictactoe", "human", path)
		run("play", "tictactoe", "human", reports[0].Player)
		run("analyze", path, "--game", "tictactoe", "--moves", "b2")
		if name == "base" || name == "base,c=2" {
			run("eval", path+"@1", "--games", "1", "--against", "random")
		}
		if err := os.Remove("out.csv"); err != nil {
			t.Error(err)
		}
		run("train", "--resume", "--run", name, "--set", "training.iterations=2",
			"--listen", "none")
		if said := run("inspect", path, "--all"); !strings.Contains(said, "checkpoints/000002") ||
			!strings.Contains(said, "sound") {
			t.Errorf("%q: a resumed run is inspected as\n%s", name, said)
		}
	}
	status, _, problem := tengen(t, "", "eval az:base,c=2 --games 1")
	if status != exitUsage ||
		!strings.Contains(problem,
			`there are both "base,c=2" and "base": write az:"base,c=2", or az:"base",c=2`) {
		t.Errorf("status %d, %s", status, problem)
	}
}
