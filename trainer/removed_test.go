package trainer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/run"
)

// TestRemovedFolder: a run whose folder is removed, or its configuration, ends with one line, and
// does not go on in a folder that can't be resumed.
func TestRemovedFolder(t *testing.T) {
	for name, c := range map[string]struct {
		remove func(dir string) error
		want   string
	}{
		"the folder": {os.RemoveAll, "run"},
		"the configuration": {func(dir string) error {
			return os.Remove(run.Folder(dir).Config())
		}, "the run's folder was removed while it was used"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		o := options(t, tiny(t, "training.iterations=1000000", "evaluation.every=0"), dir)
		var asked atomic.Int64
		o.Now = func() time.Time {
			if n := asked.Add(1); n >= 80 && n < 120 { // the run makes files meanwhile
				_ = c.remove(dir)
			}
			return time.Now()
		}
		if err := Run(context.Background(), o); err == nil ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is removed: %v", name, err)
		}
	}
}
