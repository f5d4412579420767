package research

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tengen/internal/chart"
	"tengen/vfs"
)

// version is that of the files of results.
const version = 1

// Made says how results were made. Parts embed it with the JSON key "made".
type Made struct {
	Version  int     `json:"version"` // of the file
	Command  string  `json:"command"`
	Machine  string  `json:"machine"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Games    int     `json:"games"`
	Distinct int     `json:"distinct_games"`
	Opening  int     `json:"opening"` // decisions drawn at random at the start of each game
	// Kept are those of Games that an earlier call played. Seconds are those of the last call.
	Kept int `json:"kept_games,omitempty"`
	// Interrupted is set if the experiment was interrupted; its part then lacks results and is on
	// no page.
	Interrupted *Interruption `json:"interrupted,omitempty"`
}

// HowMade returns m: it is the method that parts get by embedding a Made.
func (m *Made) HowMade() *Made { return m }

// Count adds the games of a match.
func (m *Made) Count(games, distinct int) {
	m.Games += games
	m.Distinct += distinct
}

// Took says in which time the games were played, "12 s" or, with kept games, "several calls".
func (m *Made) Took() string {
	if m.Kept > 0 {
		return "several calls"
	}
	return fmt.Sprintf("%.0f s", m.Seconds)
}

// footer says below a part how it was made.
func (m *Made) footer() string {
	opening := ""
	if m.Opening > 0 {
		opening = fmt.Sprintf(" Openings of %d decisions where no UCT plays.", m.Opening)
	}
	return fmt.Sprintf("\n    %s\n\n%d games, %d of them distinct, in %s on %s.%s\n",
		m.Command, m.Games, m.Distinct, m.Took(), m.Machine, opening)
}

// Part is one part of a page: results that are kept as JSON. It is a pointer to a struct that
// embeds Made.
type Part interface {
	HowMade() *Made
	// Complete returns an error if the part, read from the file of that name, lacks something that
	// Markdown needs.
	Complete(name string) error
	// Markdown returns the part as a section of the page, without its footer. Pictures are in a
	// folder of the given name. A part that was interrupted may lack anything, and has no pictures.
	Markdown(name, folder string) string
}

// Layout says what the page of a paper consists of.
type Layout struct {
	// Parts are the names of the parts, which are those of their files, in the order of the page.
	Parts []string
	// New returns an empty part of a name.
	New func(name string) Part
	// Markdown returns the page. It calls p.Section for the parts.
	Markdown func(p *Page) string
	// Draw writes the pictures that show the part of that name; nil: the page has none.
	Draw func(p *Page, name string) error
	// Footer says below a part how it was made; nil: with the number of games and the time.
	Footer func(m *Made) string
}

// Page is a page of results.
type Page struct {
	path   string // of the page: docs/results/go.md
	layout *Layout
	parts  map[string]Part
}

// ReadPage reads the parts of the page at path that exist.
func ReadPage(path string, l *Layout) (*Page, error) {
	p := &Page{path, l, map[string]Part{}}
	for _, name := range l.Parts {
		if err := p.read(name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// read reads the part of that name, if it exists.
func (p *Page) read(name string) error {
	file := p.file(name)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		delete(p.parts, name)
		return nil
	}
	part := p.layout.New(name)
	if err == nil {
		err = json.Unmarshal(data, part)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if part.HowMade().Version != version {
		return fmt.Errorf("read %s: results of version %d are wanted; remove the file and run the experiment again", file, version)
	}
	if err := part.Complete(name); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	p.parts[name] = part
	return nil
}

// Dir returns the folder of the page's parts and pictures.
func (p *Page) Dir() string { return strings.TrimSuffix(p.path, filepath.Ext(p.path)) }

func (p *Page) file(name string) string { return filepath.Join(p.Dir(), name+".json") }

// Picture returns the path of a picture of the page, without the format's extension.
func (p *Page) Picture(name string) string { return filepath.Join(p.Dir(), name) }

// Folder returns the name of the folder of parts, by which the page refers to its pictures.
func (p *Page) Folder() string { return filepath.Base(p.Dir()) }

// Part returns a part by name, nil if it has not been made.
func (p *Page) Part(name string) Part { return p.parts[name] }

// Put adds a part that took some time to make, or replaces it.
func (p *Page) Put(name string, part Part, took time.Duration) {
	part.HowMade().finish(took)
	p.parts[name] = part
}

// finish sets what is known at the end.
func (m *Made) finish(took time.Duration) { m.Version, m.Seconds = version, took.Seconds() }

// Interrupted returns a part that was interrupted (Made.Interrupted) after some time as a section,
// with a note that says so. It is for no page.
func (l *Layout) Interrupted(name string, part Part, took time.Duration) string {
	part.HowMade().finish(took)
	return l.section(name, "", part) + part.HowMade().Interrupted.note()
}

// Write writes the part of that name, its pictures, and the whole page. It reads the other parts
// again: another command may have made them while this one was made.
func (p *Page) Write(name string) error {
	if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	data, err := json.MarshalIndent(p.parts[name], "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	if err := vfs.WriteBytes(vfs.OS{}, p.file(name), append(data, '\n')); err != nil {
		return err
	}
	for _, other := range p.layout.Parts {
		if other != name {
			if err := p.read(other); err != nil {
				return err
			}
		}
	}
	if p.layout.Draw != nil {
		if err := p.layout.Draw(p, name); err != nil {
			return err
		}
	}
	return vfs.WriteBytes(vfs.OS{}, p.path, []byte(p.Markdown()))
}

// Markdown returns the page.
func (p *Page) Markdown() string { return p.layout.Markdown(p) }

// Section returns the part of that name as a section of the page, empty if it has not been made.
func (p *Page) Section(name string) string {
	part := p.parts[name]
	if part == nil {
		return ""
	}
	return p.layout.section(name, p.Folder(), part)
}

// section returns a part as a section with its footer.
func (l *Layout) section(name, folder string, part Part) string {
	footer := (*Made).footer
	if l.Footer != nil {
		footer = l.Footer
	}
	return part.Markdown(name, folder) + footer(part.HowMade())
}

// WritePicture writes a drawing as base.svg.
func WritePicture(s *chart.Sheet, base string) error {
	path := base + ".svg"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("draw %s: %w", path, err)
	}
	return vfs.WriteBytes(vfs.OS{}, path, s.SVG())
}
