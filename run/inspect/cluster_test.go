package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/cluster"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run/runtest"
	"tengen/vfs"
)

// TestCluster: what workers on other machines have played, and what of it is damaged.
func TestCluster(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	if f := look(t, "run", true); f.Cluster != nil {
		t.Errorf("a run without workers: %+v", *f.Cluster)
	}
	if err := os.MkdirAll("run/cluster/nats", 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, "run/cluster/secret", strings.Repeat("s", cluster.SecretSize))
	put(t, "run/cluster/nats/store", "12345")
	if f := look(t, "run", true); !f.Sound || f.Cluster == nil ||
		*f.Cluster != (Cluster{Broker: 5}) {
		t.Errorf("no games: %+v, %v", f.Cluster, f.Damaged)
	}
	j, _, _, err := replay.OpenJournal(vfs.OS{}, "run/cluster/journal", nil)
	if err == nil {
		g := runtest.Game()
		err = errors.Join(j.Add([]*record.Game{
			runtest.Record(g, 14, 2), runtest.Record(g, 12, 2),
		}), j.Close())
	}
	lock, lockErr := vfs.OS{}.Lock("run/cluster/LOCK", "train --share")
	if err = errors.Join(err, lockErr); err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		if f, c := look(t, "run", all), (*Cluster)(nil); !f.Sound {
			t.Errorf("damaged: %v", f.Damaged)
		} else if c = f.Cluster; c.Games != 2 || c.Files != 1 || c.Bytes == 0 || *c.First != 12 ||
			*c.Last != 14 || c.Holder == nil || c.Holder.Command != "train --share" {
			t.Errorf("two games: %+v", *c)
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("run/cluster/journal/*.games")
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole := get(t, names[0])
	put(t, names[0], string(whole[:len(whole)-1]))
	if f := look(t, "run", false); !f.Sound || len(f.Notes) != 1 ||
		!strings.Contains(f.Notes[0].What, "played again: damaged tail after 1 good games") ||
		f.Cluster.Games != 1 {
		t.Errorf("a torn end: %+v, %v, %v", *f.Cluster, f.Notes, f.Damaged)
	}
	broken := append([]byte{}, whole...)
	broken[len(broken)/3] ^= 1
	put(t, names[0], string(broken))
	if f := look(t, "run", false); f.Damages != 1 || f.Damaged[0].Path != names[0] ||
		!strings.Contains(f.Damaged[0].What, "its games are played again") {
		t.Errorf("a bit: %v", f.Damaged)
	}
	put(t, names[0], "something else entirely, which is no segment")
	put(t, "run/cluster/secret", "short")
	if f := look(t, "run", false); f.Damages != 2 ||
		!strings.Contains(f.Damaged[0].What, "5 bytes, not 32: remove it") {
		t.Errorf("no segment, and a secret that is too short: %v", f.Damaged)
	}
	if err := os.RemoveAll("run/cluster"); err != nil {
		t.Fatal(err)
	}
	put(t, "run/cluster", "")
	if f := look(t, "run", false); f.Damages != 1 ||
		!strings.Contains(f.Damaged[0].What, "a folder is wanted") {
		t.Errorf("a file in the folder's place: %v", f.Damaged)
	}
}
