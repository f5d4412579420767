package trainer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tengen/vfs"
)

// EvaluationGame is one line of eval/games.jsonl: who sat where in a game of an
// evaluation, and how it ended.
type EvaluationGame struct {
	Evaluation int       `json:"evaluation"` // iteration of the network evaluated
	Number     int       `json:"number"`     // within the evaluation, from 0
	Players    []string  `json:"players"`    // by seat: uct, or the iteration of a network: 000042
	Scores     []float32 `json:"scores"`     // raw scores by seat
	// Round is shared by the games of one evaluation that are not independent
	// of each other, from 1; 0 for a game that is of none.
	Round int `json:"round,omitempty"`
}

// anchorName is UCT among the players of evaluation games.
const anchorName = "uct"

// maxRatedGames is the number of games, the last ones, that ratings are
// estimated from.
const maxRatedGames = 50_000

// gameLog is eval/games.jsonl: the games of all evaluations of a run, appended.
type gameLog struct {
	fs    vfs.FS
	path  string
	seats int
	games []EvaluationGame // at least the last maxRatedGames
	torn  bool             // the file does not end with a whole line
	// passedOver is the number of lines that could not be read.
	passedOver int
}

// openGameLog reads what is there; that may be nothing.
func openGameLog(fsys vfs.FS, path string, seats int) (*gameLog, error) {
	l := &gameLog{fs: fsys, path: path, seats: seats}
	file, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the evaluations' games: %w", err)
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			l.torn = line[len(line)-1] != '\n'
			if g, ok := l.parse(line); ok {
				l.remember(g)
			} else if !l.torn {
				l.passedOver++
			}
		}
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the evaluations' games: %w", err)
		}
	}
}

func (l *gameLog) parse(line []byte) (g EvaluationGame, ok bool) {
	err := json.Unmarshal(line, &g)
	return g, err == nil && len(g.Players) == l.seats && len(g.Scores) == l.seats && g.Number >= 0
}

// remember keeps a game in memory, and forgets old ones from time to time.
func (l *gameLog) remember(g EvaluationGame) {
	if len(l.games) >= 2*maxRatedGames {
		l.games = append([]EvaluationGame(nil), l.games[len(l.games)-maxRatedGames:]...)
	}
	l.games = append(l.games, g)
}

// write appends games to the file, all or, if it is interrupted, some of the first of them.
func (l *gameLog) write(games []EvaluationGame) error {
	var text bytes.Buffer
	if l.torn {
		text.WriteByte('\n') // what was cut short stays a line of its own
	}
	for _, g := range games {
		line, err := json.Marshal(g)
		if err != nil {
			return err
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	file, err := l.fs.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	l.torn = true
	_, err = file.Write(text.Bytes())
	if err == nil {
		err = file.Sync()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	l.torn = err != nil
	return err
}

// evaluated lists the iterations whose networks were evaluated, in the order of the log, none twice
// in a row.
func (l *gameLog) evaluated() []int {
	var list []int
	for _, g := range l.games {
		if n := len(list); n == 0 || list[n-1] != g.Evaluation {
			list = append(list, g.Evaluation)
		}
	}
	return list
}
