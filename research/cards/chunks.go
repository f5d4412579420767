package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"tengen/research"
	"tengen/vfs"
)

// chunkGames is the number of games of a chunk. It is fixed, and the seed of a chunk follows from
// its number, so that a match is the same however often it was interrupted.
const chunkGames = 10

// chunked plays a match by depth in chunks. With e.Save finished chunks are kept there as files,
// and are not played again. If it is interrupted, it returns the chunks so far and an error.
func (e *Experiments) chunked(
	ctx context.Context, first, second string, games int, made *research.Made,
) (*Match, error) {
	var whole *Match
	for number := 0; number*chunkGames < games; number++ {
		part := *e
		part.Seed = e.Seed + uint64(number)<<32
		n := min(chunkGames, games-number*chunkGames)
		path := e.chunkPath(first, second, n, number)
		m, err := readChunk(path)
		switch {
		case err != nil:
			return whole, err
		case m != nil:
			made.Count(m.Games, m.Distinct)
			made.Kept += m.Games
		default:
			part.Progress = func(what, unit string, finished, _ int) {
				e.progress(what, unit, number*chunkGames+finished, games)
			}
			m, err = part.match(ctx, first, second, n, nil, made)
			if err == nil && path != "" {
				err = writeChunk(path, m)
			}
		}
		if m != nil {
			whole = whole.and(m)
		}
		if err != nil {
			return whole, err
		}
		e.progress(m.Players[0].Name+" against "+m.Players[1].Name, "games",
			whole.Games, max(games, whole.Games))
	}
	return whole, nil
}

// chunkPath returns the file of a chunk, "" without e.Save. Its name depends on everything that the
// games depend on.
func (e *Experiments) chunkPath(first, second string, games, number int) string {
	if e.Save == "" {
		return ""
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s\n%s\n%d\n%d", e.Game, first, second, e.Seed, games)
	return filepath.Join(e.Save, fmt.Sprintf("%016x-%03d.json", h.Sum64(), number))
}

// chunkVersion is that of the files of chunks.
const chunkVersion = 1

// chunk is the content of such a file.
type chunk struct {
	Version int `json:"version"`
	Match
}

// readChunk returns nil if there is no such file.
func readChunk(path string) (*Match, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m *Match
	if err == nil {
		m, err = parseChunk(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; remove the file to play these games again", path, err)
	}
	return m, nil
}

func parseChunk(data []byte) (*Match, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Version != chunkVersion {
		return nil, fmt.Errorf("version %d; this program reads version %d", c.Version, chunkVersion)
	}
	m := &c.Match
	if m.Games < 1 || m.Games > chunkGames {
		return nil, fmt.Errorf("%d games, of at most %d", m.Games, chunkGames)
	}
	if m.Wins < 0 || m.Draws < 0 || m.Wins+m.Draws > m.Games || m.Distinct < 1 ||
		m.Distinct > m.Games {
		return nil, fmt.Errorf("%d wins, %d draws and %d distinct games of %d",
			m.Wins, m.Draws, m.Distinct, m.Games)
	}
	for _, s := range m.Players {
		if len(s.Depths) > research.MostDepth+1 ||
			slices.ContainsFunc(s.Depths, func(n int) bool { return n < 0 || n > math.MaxInt32 }) {
			return nil, fmt.Errorf("decisions by depth of %s: %d counts, of at most %d",
				s.Name, len(s.Depths), research.MostDepth+1)
		}
	}
	return m, nil
}

func writeChunk(path string, m *Match) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(chunk{chunkVersion, *m})
	if err != nil {
		return err
	}
	return vfs.WriteBytes(vfs.OS{}, path, data)
}

// and returns the two matches of the same players, which search to a depth, as one. m may be nil.
func (m *Match) and(n *Match) *Match {
	if m == nil {
		return n
	}
	games := m.Games + n.Games
	of := func(a, b float64, k, l int) float64 {
		return (a*float64(k) + b*float64(l)) / float64(max(1, k+l))
	}
	both := &Match{
		Games: games, Wins: m.Wins + n.Wins, Draws: m.Draws + n.Draws,
		Distinct: m.Distinct + n.Distinct,
		Turns:    of(m.Turns, n.Turns, m.Games, n.Games),
	}
	both.Rate = research.NewRate((float64(both.Wins)+float64(both.Draws)/2)/float64(games), games)
	for i := range both.Players {
		a, b, s := &m.Players[i], &n.Players[i], &both.Players[i]
		s.Name = a.Name
		s.HP = of(a.HP, b.HP, m.Games, n.Games)
		usage := research.Usage{Depths: make([]int, max(len(a.Depths), len(b.Depths)))}
		decisions := [2]int{}
		for k, depths := range [][]int{a.Depths, b.Depths} {
			for depth, count := range depths {
				usage.Depths[depth] += count
				decisions[k] += count
			}
		}
		s.Depth, s.Depths = usage.Depth(), usage.Depths
		s.Milliseconds = of(a.Milliseconds, b.Milliseconds, decisions[0], decisions[1])
	}
	return both
}
