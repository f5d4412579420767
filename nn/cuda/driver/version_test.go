package driver

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestImageAcceptsOldDrivers checks that the container image refuses no driver that the program
// accepts: NVIDIA's base images demand a driver of their own version.
func TestImageAcceptsOldDrivers(t *testing.T) {
	text, err := os.ReadFile("../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	bases := regexp.MustCompile(`(?m)^FROM nvidia/cuda:(\d+)\.(\d+)`).
		FindAllStringSubmatch(string(text), -1)
	if len(bases) == 0 {
		t.Fatal("the Dockerfile has no base of NVIDIA's")
	}
	for _, b := range bases {
		major, _ := strconv.Atoi(b[1])
		minor, _ := strconv.Atoi(b[2])
		if v := 1000*major + 10*minor; v > minimum {
			t.Errorf("the image demands CUDA %s; %s is the oldest that the program accepts",
				versionText(v), versionText(minimum))
		}
	}
}
