package research

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"tengen/vfs"
)

// Drawing makes a picture in a format, "svg" or "png".
type Drawing func(width, height vg.Length, format string) (io.WriterTo, error)

// DrawPlot returns the drawing of a plot.
func DrawPlot(fig *plot.Plot) Drawing {
	return func(width, height vg.Length, format string) (io.WriterTo, error) {
		return fig.WriterTo(width, height, format)
	}
}

// WritePictures writes a drawing as base.svg and base.png.
func WritePictures(d Drawing, width, height vg.Length, base string) error {
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
