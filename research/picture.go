package research

import (
	"fmt"
	"os"
	"path/filepath"

	"tengen/internal/chart"
	"tengen/vfs"
)

// WritePicture writes a drawing as base.svg.
func WritePicture(s *chart.Sheet, base string) error {
	path := base + ".svg"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("draw %s: %w", path, err)
	}
	return vfs.WriteBytes(vfs.OS{}, path, s.SVG())
}
