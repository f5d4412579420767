package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"tengen/internal/runid"
)

// EvaluationGame is one line of eval/games.jsonl: who played which seat in a game of
// an evaluation, and its result.
type EvaluationGame struct {
	Evaluation int       `json:"evaluation"` // iteration of the evaluated network
	Number     int       `json:"number"`     // within the evaluation, from 0
	Players    []string  `json:"players"`    // by seat: UCTName, or the IterationName of a network
	Scores     []float32 `json:"scores"`     // raw scores by seat
	// Round is the same, and above 0, for games of one evaluation that are not
	// independent of each other. Games of round 0 are independent of all others.
	Round int      `json:"round,omitempty"`
	Run   runid.ID `json:"run,omitempty"` // the run's identity
}

// UCTName is the name of UCT, the anchor of the ratings, in EvaluationGame.Players.
const UCTName = "uct"

// GameLog is eval/games.jsonl, the log of the games of all evaluations, and its last
// games in memory. It is used by one goroutine at a time.
type GameLog struct {
	files   Files
	seats   int
	keep    int
	games   []EvaluationGame
	torn    bool // the file does not end with a complete line
	skipped int
}

// OpenGameLog reads the end of the log, which may be missing: its last keep games. It keeps at
// least as many in memory.
func (f Files) OpenGameLog(seats, keep int) (*GameLog, error) {
	l := &GameLog{files: f, seats: seats, keep: keep}
	file, err := f.FS.OpenFile(l.Path(), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the evaluations' games: %w", err)
	}
	defer file.Close()
	var end [1]byte
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		_, err = file.ReadAt(end[:], info.Size()-1)
		l.torn = end[0] != '\n'
	}
	if err == nil {
		torn := l.torn // of the next line
		err = lastLines(file, func(line []byte) bool {
			if g, ok := l.parse(line); ok {
				l.games = append(l.games, g)
			} else if !torn || line == nil {
				l.skipped++
			}
			torn = false
			return len(l.games) < keep
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read the evaluations' games: %w", err)
	}
	slices.Reverse(l.games)
	return l, nil
}

func (l *GameLog) parse(line []byte) (g EvaluationGame, ok bool) {
	if len(line) < shortest {
		return g, false
	}
	err := json.Unmarshal(line, &g)
	return g, err == nil && l.files.Check(g.Run) == nil && len(g.Players) == l.seats &&
		len(g.Scores) == l.seats && g.Number >= 0
}

// Path returns the path of the log.
func (l *GameLog) Path() string { return l.files.EvaluationGames() }

// Games returns the games in memory, oldest first. They belong to the log.
func (l *GameLog) Games() []EvaluationGame { return l.games }

// Skipped returns the number of lines, of those that were read, that could not be parsed or are of
// another run.
func (l *GameLog) Skipped() int { return l.skipped }

// Remember adds a game to those in memory. From time to time it drops old ones.
func (l *GameLog) Remember(g EvaluationGame) {
	if len(l.games) >= 2*l.keep {
		l.games = append([]EvaluationGame(nil), l.games[len(l.games)-l.keep:]...)
	}
	l.games = append(l.games, g)
}

// Append appends games to the file. If it is interrupted, a prefix of them is written.
func (l *GameLog) Append(games []EvaluationGame) error {
	var text bytes.Buffer
	if l.torn {
		text.WriteByte('\n') // ends a line that was cut short
	}
	for _, g := range games {
		line, err := json.Marshal(g)
		if err != nil {
			return err
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	file, err := l.files.FS.OpenFile(l.Path(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	l.torn = true
	_, err = file.Write(text.Bytes())
	if err == nil {
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	l.torn = err != nil
	return err
}

// Evaluated returns the iterations whose networks were evaluated, in the order of the
// log, without adjacent duplicates.
func (l *GameLog) Evaluated() []int {
	var list []int
	for _, g := range l.games {
		if n := len(list); n == 0 || list[n-1] != g.Evaluation {
			list = append(list, g.Evaluation)
		}
	}
	return list
}
