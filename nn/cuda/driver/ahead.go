package driver

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Ahead holds kernels that were compiled ahead, as a zip file whose files are named by AheadName: machine
// code, or PTX, which the driver compiles. Open it with OpenAhead. A nil Ahead is empty.
type Ahead struct{ files *zip.Reader }

// OpenAhead reads a zip file. The data must not change afterwards.
func OpenAhead(data []byte) (*Ahead, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("kernels compiled ahead: %w", err)
	}
	return &Ahead{z}, nil
}

// AheadName returns the name of a source's image for an architecture: "sm_90" for machine code, "compute_80" for
// PTX.
func AheadName(s *Source, architecture string) string { return architecture + "/" + s.Key(cacheFormat) }

// Names returns the names of all images, sorted.
func (a *Ahead) Names() []string {
	if a == nil {
		return nil
	}
	var names []string
	for _, f := range a.files.File {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// images returns the images of a source that a device may load, the best first: its own machine code, then
// that of an earlier device of its generation, then PTX. Emulated devices load none.
func (a *Ahead) images(s *Source, d Device) [][]byte {
	if a == nil || d.Emulated {
		return nil
	}
	var list [][]byte
	capability := d.Capability()
	for c := capability; c >= 80; c-- {
		if c/10 == capability/10 {
			list = a.add(list, AheadName(s, fmt.Sprintf("sm_%d", c)))
		}
	}
	for c := capability; c >= 80; c-- {
		list = a.add(list, AheadName(s, fmt.Sprintf("compute_%d", c)))
	}
	return list
}

// add appends a file, if it is there and whole: the zip file has checksums.
func (a *Ahead) add(list [][]byte, name string) [][]byte {
	for _, f := range a.files.File {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return list
		}
		defer r.Close()
		image, err := io.ReadAll(r)
		if err != nil {
			return list
		}
		if strings.HasPrefix(name, "compute_") && !bytes.HasSuffix(image, []byte{0}) {
			image = append(image, 0) // the driver reads PTX up to its end as C does
		}
		return append(list, image)
	}
	return list
}

// WriteAhead writes a zip file of images by name, compressed.
func WriteAhead(w io.Writer, images map[string][]byte) error {
	z := zip.NewWriter(w)
	names := make([]string, 0, len(images))
	for name := range images {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := z.Create(name) // without a time, so that equal images give equal files
		if err != nil {
			return err
		}
		if _, err := f.Write(images[name]); err != nil {
			return err
		}
	}
	return z.Close()
}

// ReadAhead returns the images of a file of WriteAhead.
func ReadAhead(data []byte) (map[string][]byte, error) {
	a, err := OpenAhead(data)
	if err != nil {
		return nil, err
	}
	images := map[string][]byte{}
	for _, f := range a.files.File {
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("kernels compiled ahead: %s: %w", f.Name, err)
		}
		image, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("kernels compiled ahead: %s: %w", f.Name, err)
		}
		images[f.Name] = image
	}
	return images, nil
}
