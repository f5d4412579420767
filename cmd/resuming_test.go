//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestResumingAsPrinted: what an interrupted training prints goes on with it where it is pasted, on
// the same page, device and folder of TensorBoard.
func TestResumingAsPrinted(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no shell to paste into")
	}
	t.Chdir(t.TempDir())
	const name = "it's a=1,b"
	args := []string{
		"train", "--run", name, "--listen", "127.0.0.1:0", "--device", "cpu",
		"--tensorboard", "$board",
	}
	small := strings.Fields(
		strings.TrimSuffix(strings.Replace(tiny, "training.iterations=1 ",
			"training.iterations=100000 ", 1), " --listen none"))
	var said bytes.Buffer
	c := exec.Command("tengen", append(args, small...)...)
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for begun := false; !begun; {
		select {
		case err := <-ended:
			t.Fatalf("%v: %s", err, &said)
		case <-time.After(20 * time.Millisecond):
			_, err := os.Stat(filepath.Join(name, "checkpoints", "000001"))
			begun = err == nil
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-ended
	m := regexp.MustCompile(`stopped after iteration (\d+) of .*go on with: (tengen .*)\n$`).
		FindStringSubmatch(said.String())
	if m == nil {
		t.Fatalf("it prints\n%s", &said)
	}
	if want := `tengen train --resume --run 'it'\''s a=1,b' --device cpu --listen 127.0.0.1:0 --tensorboard '$board'`; m[2] != want {
		t.Errorf("it prints %s, want %s", m[2], want)
	}
	last, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bash, "-c",
		fmt.Sprintf("%s --set training.iterations=%d", m[2], last+1)).CombinedOutput()
	if err != nil ||
		!strings.Contains(string(out), fmt.Sprintf("trained for %d iterations", last+1)) {
		t.Errorf("pasted: %v: %s", err, out)
	}
}
