package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tengen/metrics"
)

// read decodes a YAML file.
func read(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// program finds a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian's package prometheus has it)", name)
	}
	return path
}

// alert is a rule of alerts.yml.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	read(t, "prometheus/alerts.yml", &file)
	var list []alert
	for _, g := range file.Groups {
		list = append(list, g.Rules...)
	}
	if len(list) == 0 {
		t.Fatal("no alerts")
	}
	return list
}

// Every alert has a summary, a description, a severity and a runbook, and uses existing
// metrics; and there are tests in which it fires and is silent.
func TestAlerts(t *testing.T) {
	families := metrics.Contract()
	var tests struct {
		Tests []struct {
			Cases []struct {
				Name  string           `yaml:"alertname"`
				Fires []map[string]any `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	read(t, "prometheus/alerts_test.yml", &tests)
	shown := map[string][2]int{} // silent, firing
	for _, test := range tests.Tests {
		for _, c := range test.Cases {
			n := shown[c.Name]
			n[min(1, len(c.Fires))]++
			shown[c.Name] = n
		}
	}
	for _, a := range alerts(t) {
		for _, problem := range CheckExpression(a.Expr, families) {
			t.Errorf("%s: %s", a.Alert, problem)
		}
		if s := a.Labels["severity"]; s != "warning" && s != "critical" {
			t.Errorf("%s: the severity is %q", a.Alert, s)
		}
		if a.Annotations["summary"] == "" ||
			!strings.HasSuffix(a.Annotations["description"], ".") ||
			a.Annotations["runbook_url"] != "{{ $externalURL }}/user/runbook.html#"+
				strings.ToLower(a.Alert) {
			t.Errorf("%s: annotations %q", a.Alert, a.Annotations)
		}
		if n := shown[a.Alert]; n[0] == 0 || n[1] == 0 {
			t.Errorf("%s is shown silent %d times and firing %d times", a.Alert, n[0], n[1])
		}
	}
}

// Prometheus accepts its configuration and the rules, and alerts fire when they should.
func TestRules(t *testing.T) {
	promtool := program(t, "promtool")
	for _, args := range [][]string{
		{"check", "config", "prometheus/prometheus.yml"}, // and its rules
		{"test", "rules", "prometheus/alerts_test.yml"},
	} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// service is a service of compose.yaml.
type service struct {
	Image          string
	Build          struct{ Context string }
	Command        any
	Volumes, Ports []string
	Environment    map[string]string
}

// pinned is an image with its version and the digest of its content.
var pinned = regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+(-[a-z0-9.-]+)?@sha256:[0-9a-f]{64}$`)

// TestDockerfile: the images that others made are pinned; both images have the licenses of what
// they hold, and serve the page where a port of the container can be published.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]bool{"scratch": true}
	bases, licensed, listening := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 2 && words[0] == "FROM":
			if bases++; !stages[words[1]] && !pinned.MatchString(words[1]) {
				t.Errorf("%s is not pinned to a version and a digest", words[1])
			}
			if len(words) == 4 {
				stages[words[3]] = true
			}
		case len(words) > 2 && words[0] == "COPY" &&
			strings.Contains(line, "/LICENSES.txt /src/LICENSE"):
			licensed++
		case strings.HasPrefix(line, `CMD ["train"`) &&
			strings.Contains(line, `"--listen", "0.0.0.0:9464"`):
			listening++
		}
	}
	if bases != 5 || licensed != 2 || listening != 2 {
		t.Errorf("%d stages, %d images with licenses, %d that listen", bases, licensed, listening)
	}
}

// The compose file pins its images, listens on loopback only, and mounts existing paths.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]service
		Volumes  map[string]any
	}
	read(t, "compose.yaml", &file)
	for name, s := range file.Services {
		if s.Build.Context != "" {
			if _, err := os.Stat(filepath.Join(s.Build.Context, "Dockerfile")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !pinned.MatchString(s.Image) {
			t.Errorf("%s: the image %q is not pinned to a version and a digest", name, s.Image)
		}
		if len(s.Ports) == 0 {
			t.Errorf("%s has no port", name)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s listens on %s", name, p)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, ok := file.Volumes[from]; ok {
				continue
			}
			if _, err := os.Stat(from); err != nil {
				t.Errorf("%s mounts %s: %v", name, v, err)
			}
		}
	}

	// The files agree on names and addresses.
	var config struct {
		Scrapes []struct {
			Job     string                       `yaml:"job_name"`
			Targets []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	read(t, "prometheus/prometheus.yml", &config)
	command, _ := file.Services["trainer"].Command.(string)
	target := config.Scrapes[0].Targets[0].Targets[0]
	if host, port, _ := strings.Cut(target, ":"); host != "trainer" ||
		!strings.HasSuffix(command, "--listen 0.0.0.0:"+port) {
		t.Errorf("Prometheus scrapes %s, the trainer is started with %s", target, command)
	}
	var sources struct {
		Datasources []struct{ URL string }
	}
	read(t, "grafana/provisioning/datasources/prometheus.yaml", &sources)
	if url := sources.Datasources[0].URL; url != "http://prometheus:9090" {
		t.Errorf("Grafana asks %s", url)
	}
	var providers struct {
		Providers []struct{ Options struct{ Path string } }
	}
	read(t, "grafana/provisioning/dashboards/tengen.yaml", &providers)
	panels := file.Services["grafana"]
	dashboards := providers.Providers[0].Options.Path
	if mounted := "./grafana/dashboards:" + dashboards +
		":ro"; !strings.Contains(strings.Join(panels.Volumes, " "), mounted) ||
		panels.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] != dashboards+
			"/tengen.json" {
		t.Errorf("Grafana looks for dashboards in %s, and mounts %s", dashboards, panels.Volumes)
	}
}
