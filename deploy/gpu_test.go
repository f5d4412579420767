package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// compose.gpu.yaml changes existing services, uses a target of the Dockerfile and reserves
// devices; the target's base image is pinned.
func TestGPU(t *testing.T) {
	type services struct {
		Services map[string]struct {
			Build  struct{ Target string }
			Image  string
			Deploy struct {
				Resources struct {
					Reservations struct {
						Devices []struct {
							Driver, Count string
							Capabilities  []string
						}
					}
				}
			}
			Command string
			Volumes []string
		}
		Volumes map[string]any
	}
	var gpu services
	read(t, "compose.gpu.yaml", &gpu)
	if len(gpu.Services) != 1 {
		t.Errorf("%d services are changed", len(gpu.Services))
	}
	for name, s := range gpu.Services {
		if name != "trainer" {
			t.Errorf("%s is changed", name)
		}
		devices := s.Deploy.Resources.Reservations.Devices
		if len(devices) != 1 || devices[0].Driver != "nvidia" ||
			strings.Join(devices[0].Capabilities, ",") != "gpu" {
			t.Errorf("devices %+v", devices)
		}
		if !strings.HasPrefix(s.Command, "train ") || !strings.Contains(s.Command, "--device ") ||
			!strings.HasSuffix(s.Command, "--listen 0.0.0.0:9464") {
			t.Errorf("the command is %s", s.Command)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, ok := gpu.Volumes[from]; !ok {
				t.Errorf("no volume is called %s", from)
			}
		}
		text, err := os.ReadFile("../Dockerfile")
		if err != nil {
			t.Fatal(err)
		}
		stage := regexp.MustCompile(`(?m)^FROM (\S+) AS ` + s.Build.Target + `$`).
			FindStringSubmatch(string(text))
		if stage == nil {
			t.Fatalf("the Dockerfile has no target %q", s.Build.Target)
		}
		if !strings.HasPrefix(stage[1], "nvidia/cuda:") || !pinned.MatchString(stage[1]) {
			t.Errorf("the image %q is not pinned to a version", stage[1])
		}
		if !strings.Contains(string(text), "go build -tags gpu ") {
			t.Error("the Dockerfile builds no CUDA binary")
		}
	}
}
