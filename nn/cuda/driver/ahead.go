package driver

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Ahead holds kernels that were compiled ahead: machine code, or PTX, which the driver compiles.
// Open it with OpenAhead. A nil Ahead is empty. The file is described in docs/formats/kernels.md.
type Ahead struct{ files map[string]*zip.File }

// The format of a file of images: its first entry and what that holds.
const (
	aheadEntry   = "format"
	aheadVersion = "tengen kernels 1\n"
)

// What a file may hold at most. Kernels of common networks are some hundred images of at most 300
// KB.
const (
	mostAhead       = 256 << 20 // bytes of the file
	mostAheadImages = 4096
	mostAheadImage  = 16 << 20 // bytes of an image, uncompressed
)

// aheadNames are the names of images: an architecture and a source's key.
var aheadNames = regexp.MustCompile(`^(sm|compute)_[1-9][0-9]{1,2}/[0-9a-f]{64}$`)

// OpenAhead reads a file of WriteAhead. It checks the format, the names and the sizes; an image's
// checksum is checked when it is read. The data must not change afterwards.
func OpenAhead(data []byte) (*Ahead, error) {
	a, err := openAhead(data)
	if err != nil {
		return nil, fmt.Errorf("kernels compiled ahead: %w", err)
	}
	return a, nil
}

func openAhead(data []byte) (*Ahead, error) {
	if len(data) > mostAhead {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are possible",
			len(data), mostAhead)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if len(z.File) == 0 || z.File[0].Name != aheadEntry {
		return nil, fmt.Errorf("the first entry is not %q", aheadEntry)
	}
	if len(z.File) > 1+mostAheadImages {
		return nil, fmt.Errorf("the file has %d images; at most %d are possible",
			len(z.File)-1, mostAheadImages)
	}
	version, err := readEntry(z.File[0], len(aheadVersion))
	if err != nil || string(version) != aheadVersion {
		return nil,
			errors.Join(fmt.Errorf("unknown version; %q is wanted",
				strings.TrimSpace(aheadVersion)), err)
	}
	a := &Ahead{map[string]*zip.File{}}
	for _, f := range z.File[1:] {
		switch {
		case !aheadNames.MatchString(f.Name):
			return nil,
				fmt.Errorf("%q names no image: sm_80/KEY or compute_80/KEY is wanted", f.Name)
		case a.files[f.Name] != nil:
			return nil, fmt.Errorf("%s is there twice", f.Name)
		case f.UncompressedSize64 == 0 || f.UncompressedSize64 > mostAheadImage:
			return nil, fmt.Errorf("%s has %d bytes; 1 to %d are possible",
				f.Name, f.UncompressedSize64, mostAheadImage)
		}
		a.files[f.Name] = f
	}
	return a, nil
}

// readEntry reads an entry that must have at most this many bytes. It takes no more memory than the
// entry has, whatever its header says.
func readEntry(f *zip.File, most int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	err = errors.Join(err, r.Close())
	if err == nil && len(data) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return data, nil
}

// AheadName returns the name of a source's image for an architecture: "sm_90" for machine code,
// "compute_80" for PTX.
func AheadName(s *Source, architecture string) string {
	return architecture + "/" + s.Key(cacheFormat)
}

// Names returns the names of all images, sorted.
func (a *Ahead) Names() []string {
	if a == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(a.files))
}

// Has reports whether there is an image of a source that a device may load.
func (a *Ahead) Has(s *Source, d Device) bool {
	return slices.ContainsFunc(a.candidates(s, d), func(name string) bool {
		return a.files[name] != nil
	})
}

// candidates returns the names of the images of a source that a device may load, the best first:
// its own machine code, then that of an earlier device of its generation, then PTX, of 7.5 at the
// least. Emulated devices load none.
func (a *Ahead) candidates(s *Source, d Device) []string {
	if a == nil || d.Emulated {
		return nil
	}
	var names []string
	capability := d.Capability()
	for c := capability; c/10 == capability/10; c-- {
		names = append(names, AheadName(s, fmt.Sprintf("sm_%d", c)))
	}
	for c := capability; c >= 75; c-- {
		names = append(names, AheadName(s, fmt.Sprintf("compute_%d", c)))
	}
	return names
}

// images returns the images of candidates that are there.
func (a *Ahead) images(s *Source, d Device) [][]byte {
	var list [][]byte
	for _, name := range a.candidates(s, d) {
		list = a.add(list, name)
	}
	return list
}

// add appends an image, if it is there and whole.
func (a *Ahead) add(list [][]byte, name string) [][]byte {
	f := a.files[name]
	if f == nil {
		return list
	}
	image, err := readEntry(f, mostAheadImage)
	if err != nil {
		return list
	}
	if strings.HasPrefix(name, "compute_") && !bytes.HasSuffix(image, []byte{0}) {
		image = append(image, 0) // the driver reads PTX up to its end as C does
	}
	return append(list, image)
}

// WriteAhead writes a file of images by name, compressed. Equal images give equal files.
func WriteAhead(w io.Writer, images map[string][]byte) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	write := func(name string, data []byte) error {
		f, err := z.Create(name) // without a time
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	if err := write(aheadEntry, []byte(aheadVersion)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(images)) {
		if n := len(images[name]); !aheadNames.MatchString(name) || n == 0 || n > mostAheadImage {
			return fmt.Errorf("kernels compiled ahead: %q with %d bytes is no image", name, n)
		}
		if err := write(name, images[name]); err != nil {
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
	for name, f := range a.files {
		if images[name], err = readEntry(f, mostAheadImage); err != nil {
			return nil, fmt.Errorf("kernels compiled ahead: %w", err)
		}
	}
	return images, nil
}
