package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"tengen/game"
	"tengen/vfs"
)

// Store keeps the finished games of a tournament, or of a Match, in a folder, so that after a kill
// or a power failure only the missing games are played. It is used by one goroutine and one process
// at a time.
type Store struct {
	// Damaged has an error for each line of the file that was skipped; the games of these lines
	// are played again.
	Damaged []error

	journal *vfs.Journal
	games   map[int]Result
}

// EachDamaged calls tell, unless it is nil, with each error of Damaged.
func (s *Store) EachDamaged(tell func(error)) {
	if tell == nil {
		return
	}
	for _, err := range s.Damaged {
		tell(err)
	}
}

// ErrOtherMatch is wrapped by errors of OpenStore for folders that hold another match.
var ErrOtherMatch = errors.New("it holds another match")

// OpenStore opens the folder dir for the games of a tournament, and creates it if necessary. If
// it holds another match (of another game, other players, another seed or opening), it returns
// an error that wraps ErrOtherMatch. The number of games may differ: a match can be resumed
// with more games.
func OpenStore(fsys vfs.FS, dir string, t *Tournament) (*Store, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	return openStore(fsys, dir, t.match(), t.header())
}

// OpenMatchStore is OpenStore for the games of a Match, which is not Drawn. networks has a digest
// of each player's network, as Tournament.Networks.
func OpenMatchStore(fsys vfs.FS, dir string, m *Match, networks []string) (*Store, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	if m.Drawn {
		return nil, fmt.Errorf("match of %s: a tournament's games are kept by OpenStore",
			m.Game.Name())
	}
	return openStore(fsys, dir, m, m.header(networks))
}

func openStore(fsys vfs.FS, dir string, m *Match, want header) (*Store, error) {
	s := &Store{games: map[int]Result{}}
	if err := s.open(fsys, dir, m, want); err != nil {
		return nil, fmt.Errorf("match in %s: %w", dir, err)
	}
	return s, nil
}

func (s *Store) open(fsys vfs.FS, dir string, m *Match, want header) error {
	same := func(line []byte) error {
		var h header
		if err := h.read(line); err != nil {
			return fmt.Errorf("%s: %w", MatchFile, err)
		}
		return want.same(&h)
	}
	j,
		err := vfs.OpenJournal(fsys,
		filepath.Join(dir, MatchFile), &want, same, func(line []byte) error {
			r, err := readLine(line)
			if err != nil {
				return err
			}
			result, err := m.check(&r)
			if err != nil {
				return err
			}
			if _, known := s.games[r.Number]; known {
				return vfs.ErrDuplicate // two processes played the same match
			}
			s.games[r.Number] = result
			return nil
		})
	if err != nil {
		return err
	}
	s.journal, s.Damaged = j, j.Damaged
	return nil
}

// same returns nil if h is the header of the same match.
func (want *header) same(h *header) error {
	differs := func(what string, theirs, ours any) error {
		return fmt.Errorf("%w, with %s %v instead of %v; name another folder, or repeat the settings of that match", ErrOtherMatch, what, theirs, ours)
	}
	switch {
	case h.Game != want.Game:
		return differs("the game", h.Game, want.Game)
	case !slices.Equal(h.Players, want.Players):
		return differs("the players", quoted(h.Players), quoted(want.Players))
	case !slices.Equal(h.Networks, want.Networks):
		return fmt.Errorf("%w: the players' networks have changed since its games were played; name another folder, or checkpoints that do not change", ErrOtherMatch)
	case h.Seed != want.Seed:
		return differs("seed", h.Seed, want.Seed)
	case h.Opening != want.Opening:
		return differs("an opening of", h.Opening, want.Opening)
	case h.Alone != want.Alone || h.Paired != want.Paired ||
		!slices.EqualFunc(h.Seatings, want.Seatings, slices.Equal[[]int]):
		return fmt.Errorf("%w, of other seatings; name another folder", ErrOtherMatch)
	}
	return nil
}

func quoted(names []string) string {
	var b bytes.Buffer
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

// Len returns the number of games that the store held when it was opened.
func (s *Store) Len() int { return len(s.games) }

// game returns a game that the store held when it was opened. A nil store holds none.
func (s *Store) game(number int) (Result, bool) {
	if s == nil {
		return Result{}, false
	}
	r, ok := s.games[number]
	return r, ok
}

// below yields the games with numbers below n that the store held when it was opened. A nil store
// holds none.
func (s *Store) below(n int) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		if s == nil {
			return
		}
		for number, r := range s.games {
			if number < n && !yield(r) {
				return
			}
		}
	}
}

// add appends games. It returns once they are durable.
func (s *Store) add(m *Match, results []Result) error {
	records := make([]any, len(results))
	for i := range results {
		records[i] = m.record(&results[i])
	}
	if err := s.journal.Add(records...); err != nil {
		return fmt.Errorf("save games: %w", err)
	}
	return nil
}

// Close closes the file. All added games are durable already. To close a nil store does nothing.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.journal.Close()
}

// header returns the header of the tournament's file.
func (t *Tournament) header() header {
	// the seatings follow from Alone
	m := Match{Game: t.Game, Players: t.Players, Seed: t.Seed, Opening: t.Opening}
	h := m.header(t.Networks)
	h.Alone = t.Alone
	return h
}

// header returns the header of the match's file.
func (m *Match) header(networks []string) header {
	h := header{
		Format: matchFormat, Version: matchVersion, Game: m.Game.Name(), Seed: m.Seed,
		Opening: m.Opening, Seatings: m.Seatings, Paired: m.Paired,
	}
	for _, p := range m.Players {
		h.Players = append(h.Players, p.Name())
	}
	if slices.ContainsFunc(networks, func(n string) bool { return n != "" }) {
		h.Networks = networks
	}
	return h
}

// check returns the result of a recorded game, and an error if that can't be a game of the match.
func (m *Match) check(r *Record) (Result, error) {
	if name := m.Game.Name(); r.Game != name {
		return Result{}, fmt.Errorf("game %d is of %s, not of %s", r.Number, r.Game, name)
	}
	if want := m.Seatings[m.scheduled(r.Number).seating]; !slices.Equal(r.Seating, want) {
		return Result{},
			fmt.Errorf("game %d has the seating %v instead of %v", r.Number, r.Seating, want)
	}
	if len(r.Scores) != m.Game.Players() || len(r.Returns) != m.Game.Players() {
		return Result{}, fmt.Errorf("game %d has no result", r.Number)
	}
	result, err := m.resultOf(r.Number, r.Actions)
	if err == nil {
		err = r.compare(result.Scores, result.Returns)
	}
	result.actions = nil // saved
	return result, err
}

// record returns a finished game as it is saved.
func (m *Match) record(r *Result) *Record {
	seating := m.Seatings[r.Seating]
	record := &Record{
		Number: r.Number, Game: m.Game.Name(), Seating: seating, Actions: r.actions,
		Scores: r.Scores, Returns: r.Returns,
	}
	if record.Actions == nil {
		record.Actions = []game.Action{}
	}
	for _, p := range seating {
		record.Players = append(record.Players, m.Players[p].Name())
	}
	s := m.Game.NewState()
	for _, a := range r.actions {
		record.Moves = append(record.Moves, game.ActionName(m.Game, s, a))
		s.Apply(a)
	}
	return record
}

// MatchFile is the name of the file of a match's games in its folder.
const MatchFile = "match.jsonl"

const (
	matchFormat  = "tengen match"
	matchVersion = 1
	// recordVersion is the version of a game in JSON, if it has one.
	recordVersion = 1
)

// header is the first line of a match file. It identifies the match.
type header struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Game     string   `json:"game"`
	Players  []string `json:"players"`
	Networks []string `json:"networks,omitempty"` // as Tournament.Networks
	Seed     uint64   `json:"seed"`
	Opening  int      `json:"opening"`
	Alone    bool     `json:"alone,omitempty"`    // as Tournament.Alone
	Seatings [][]int  `json:"seatings,omitempty"` // of a Match that is no tournament's
	Paired   bool     `json:"paired,omitempty"`   // as Match.Paired
}

// read sets h from the first line of a match file.
func (h *header) read(line []byte) error {
	return vfs.ReadHead(line, h, matchFormat, matchVersion)
}

// readLine reads a game from another line.
func readLine(line []byte) (Record, error) {
	var r Record
	if err := vfs.ReadLine(line, &r); err != nil {
		return r, err
	}
	if r.Number < 0 {
		return r, fmt.Errorf("a game can't have number %d", r.Number)
	}
	return r, nil
}

// readMatch reads a match file. damaged has an error for each line that is skipped. It returns an
// error if the first line does not identify a match.
func readMatch(data []byte) (h header, records []Record, damaged []error, err error) {
	damaged, err = vfs.ReadLines(data, h.read, func(line []byte) error {
		r, err := readLine(line)
		if err == nil {
			records = append(records, r)
		}
		return err
	})
	return h, records, damaged, err
}

// ReadRecords reads the games of a match file, or of a file of JSON objects, one per game. Such
// objects need no checksum, and have at most maxObject bytes; those without a number are numbered
// from 0. damaged has an error for each line of a match file that is skipped.
func ReadRecords(data []byte) (records []Record, damaged []error, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the mark of some editors
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if vfs.ReadLine(first, &h) == nil && h.Format != "" {
		_, records, damaged, err = readMatch(data)
		return records, damaged, err
	}
	objects := &objectReader{data: data}
	decoder := json.NewDecoder(objects)
	for {
		objects.upTo = decoder.InputOffset() + maxObject
		var r struct {
			Record
			Version *int             `json:"version"`
			Number  *int             `json:"number"`
			Actions *json.RawMessage `json:"actions"`
		}
		switch err := decoder.Decode(&r); {
		case err == io.EOF && len(records) > 0:
			return records, nil, nil
		case err == io.EOF:
			return nil, nil, errors.New("it holds no game")
		case err != nil:
			return nil, nil, fmt.Errorf(`object %d of the file: %w; objects such as {"game": "go:size=5,players=3", "actions": [12, 7]} are wanted`, len(records)+1, err)
		case r.Version != nil && *r.Version != recordVersion:
			return nil, nil,
				fmt.Errorf("object %d of the file has version %d; this program reads version %d",
					len(records)+1, *r.Version, recordVersion)
		case r.Game == "" || r.Actions == nil:
			return nil, nil,
				fmt.Errorf(`object %d of the file: the fields "game" and "actions" are wanted`,
					len(records)+1)
		}
		if err := json.Unmarshal(*r.Actions, &r.Record.Actions); err != nil {
			return nil, nil,
				fmt.Errorf("object %d of the file: its actions: %w", len(records)+1, err)
		}
		r.Record.Number = len(records)
		if r.Number != nil {
			r.Record.Number = *r.Number
		}
		records = append(records, r.Record)
	}
}

// maxObject is the most bytes of a game in JSON and the white space before it. What an object costs
// in memory is a multiple of its size.
const maxObject = vfs.MaxLine

// objectReader reads data up to an offset, which is moved after each object.
type objectReader struct {
	data []byte
	at   int64
	upTo int64
}

func (r *objectReader) Read(p []byte) (int, error) {
	if r.at == int64(len(r.data)) {
		return 0, io.EOF
	}
	end := min(r.upTo, int64(len(r.data)))
	if r.at == end {
		return 0, fmt.Errorf("it is longer than %d bytes", maxObject)
	}
	n := copy(p, r.data[r.at:end])
	r.at += int64(n)
	return n, nil
}
