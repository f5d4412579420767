package gtp

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/player"
)

// Sessions as programs hold them (testdata/sessions).
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sessions, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script := parseScript(string(text))
		if len(script.players) == 0 {
			t.Errorf("%s has no player", file)
		}
		for _, name := range script.players {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				t.Parallel()
				script.run(t, name)
			})
		}
	}
}

// script is a file of testdata/sessions.
type script struct {
	players             []string
	game, name, version string
	ponder, capped      bool
	steps               []step
}

// step is one line of a script.
type step struct {
	line       int
	word, rest string
}

func parseScript(text string) *script {
	c := &script{game: five, name: "Tengen", version: "0"}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "player":
			c.players = append(c.players, rest)
		case "game":
			c.game = rest
		case "name":
			c.name = rest
		case "version":
			c.version = rest
		case "ponder":
			c.ponder = true
		case "capped":
			c.capped = true
		default:
			c.steps = append(c.steps, step{i + 1, word, rest})
		}
	}
	return c
}

func (c *script) run(t *testing.T, name string) {
	g := game.Must(game.New(c.game))
	p, err := player.Parse(g, name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(Config{
		Player: p, Game: g, Name: c.name, Version: c.version, Ponder: c.ponder, Capped: c.capped,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, t.Context(), e)
	dialects := map[string]dialect{"kata": kata, "lz": leela, "move": kata, "lzmove": leela}
	var began time.Time
	var within time.Duration
	for _, x := range c.steps {
		if x.word == "within" {
			if within, err = time.ParseDuration(x.rest); err != nil {
				t.Fatalf("line %d: %v", x.line, err)
			}
			began = time.Now()
			continue
		}
		switch x.word {
		case ">":
			s.send(x.rest)
		case "<":
			got := s.line()
			if n := len(x.rest); n > 2 && x.rest[0] == '/' && x.rest[n-1] == '/' {
				if !regexp.MustCompile("^(" + x.rest[1:n-1] + ")$").MatchString(got) {
					t.Fatalf("line %d: %q, want %s", x.line, got, x.rest)
				}
			} else if got != x.rest {
				t.Fatalf("line %d: %q, want %q", x.line, got, x.rest)
			}
		case "list": // the rest of an answer of several lines
			for s.line() != "" {
			}
		case "kata", "lz":
			if x.rest == "rest" {
				s.rest(dialects[x.word])
				break
			}
			n, err := strconv.Atoi(x.rest)
			if err != nil {
				t.Fatalf("line %d: %v", x.line, err)
			}
			for range n {
				s.info(dialects[x.word])
			}
		case "move", "lzmove": // the rest of genmove_analyze
			for {
				text := s.line()
				if v, ok := strings.CutPrefix(text, "play "); ok {
					if _, err := parseVertex(e.Game(), v); err != nil {
						t.Fatalf("line %d: %s: %v", x.line, text, err)
					}
					break
				}
				if err := checkInfo(dialects[x.word], text); err != nil {
					t.Fatalf("line %d: %s: %v", x.line, text, err)
				}
			}
			s.want("")
		default:
			t.Fatalf("line %d: %s is unknown", x.line, cmp.Or(x.word, "an empty word"))
		}
		if d := time.Since(began); within > 0 && d > within {
			t.Errorf("line %d: it comes after %v", x.line, d)
		}
		within = 0
	}
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
