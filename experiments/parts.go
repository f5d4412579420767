package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"tengen/vfs"
)

// pages are made of parts, which lie beside them as JSON.
type pages interface {
	// Dir is the folder of the page's parts and pictures.
	Dir() string
	// parts are where the parts are kept, by the names of their files: pointers.
	parts() map[string]any
	// made is how a part was made; nil where it has not been.
	made(part string) *Made
	// complete says what is missing in a part that has been read, so that the page can be
	// made of it.
	complete(part string) error
	Markdown() string
}

// besidePage is the folder of a page's parts.
func besidePage(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

// readParts reads the parts of a page that are there.
func readParts(p pages) error {
	parts := p.parts()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		file := filepath.Join(p.Dir(), name+".json")
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, parts[name])
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		if m := p.made(name); m == nil || m.Version != resultsVersion {
			return fmt.Errorf("read %s: results of version %d are wanted; remove the file and run the experiment again", file, resultsVersion)
		}
		if err := p.complete(name); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
	}
	return nil
}

// writePart writes one part of the page at path, by name.
func writePart(p pages, path, part string) error {
	if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	data, err := json.MarshalIndent(p.parts()[part], "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return vfs.WriteBytes(vfs.OS{}, filepath.Join(p.Dir(), part+".json"), append(data, '\n'))
}

// writePage writes the page anew.
func writePage(p pages, path string) error {
	return vfs.WriteBytes(vfs.OS{}, path, []byte(p.Markdown()))
}

// took notes how long a part took.
func took(p pages, part string, d time.Duration) {
	if m := p.made(part); m != nil {
		m.Version, m.Seconds = resultsVersion, d.Seconds()
	}
}

// drawing makes a picture of some format.
type drawing func(width, height vg.Length, format string) (io.WriterTo, error)

// drawPlot is the drawing of a plot.
func drawPlot(fig *plot.Plot) drawing {
	return func(width, height vg.Length, format string) (io.WriterTo, error) {
		return fig.WriterTo(width, height, format)
	}
}

// writePictures writes a drawing as base.svg and base.png.
func writePictures(d drawing, width, height vg.Length, base string) error {
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return fmt.Errorf("draw %s: %w", base, err)
	}
	for _, format := range []string{"svg", "png"} {
		var image bytes.Buffer
		w, err := d(width, height, format)
		if err == nil {
			_, err = w.WriteTo(&image)
		}
		if err != nil {
			return fmt.Errorf("draw %s.%s: %w", base, format, err)
		}
		if err := vfs.WriteBytes(vfs.OS{}, base+"."+format, image.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
