package deploy

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"tengen/cmd"
)

// schemas are the kinds of objects that the overlays have. Those of the Prometheus operator are not
// of Kubernetes; the fields in use are listed.
var schemas = map[string]func() any{
	"v1 Namespace":        func() any { return new(core.Namespace) },
	"v1 Service":          func() any { return new(core.Service) },
	"apps/v1 StatefulSet": func() any { return new(apps.StatefulSet) },
	"apps/v1 Deployment":  func() any { return new(apps.Deployment) },
	"batch/v1 Job":        func() any { return new(batch.Job) },
	"policy/v1 PodDisruptionBudget": func() any {
		return new(policy.PodDisruptionBudget)
	},
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return new(networking.NetworkPolicy) },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return new(monitor) },
	"monitoring.coreos.com/v1 PodMonitor":     func() any { return new(monitor) },
}

// monitor is a ServiceMonitor or a PodMonitor.
type monitor struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       struct {
		JobLabel string `json:"jobLabel"`
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		Endpoints           []endpoint `json:"endpoints"`
		PodMetricsEndpoints []endpoint `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

type endpoint struct {
	Port     string `json:"port"`
	Path     string `json:"path"`
	Interval string `json:"interval"`
}

// overlay builds an overlay and decodes its objects, strictly.
func overlay(t *testing.T, name string) map[string]any {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join("kubernetes", "overlays", name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	objects := map[string]any{}
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		kind := r.GetApiVersion() + " " + r.GetKind()
		empty := schemas[kind]
		if empty == nil {
			t.Errorf("%s: nobody knows the schema of %s %s", name, kind, r.GetName())
			continue
		}
		x := empty()
		if err := yaml.UnmarshalStrict(text, x); err != nil {
			t.Errorf("%s: %s %s: %v", name, kind, r.GetName(), err)
		}
		if r.GetKind() != "Namespace" && r.GetNamespace() != "tengen" {
			t.Errorf("%s: %s %s is in the namespace %q", name, kind, r.GetName(), r.GetNamespace())
		}
		objects[r.GetKind()+" "+r.GetName()] = x
	}
	return objects
}

// podOf returns the pods of an object, nil if it has none.
func podOf(x any) *core.PodTemplateSpec {
	switch x := x.(type) {
	case *apps.StatefulSet:
		return &x.Spec.Template
	case *apps.Deployment:
		return &x.Spec.Template
	case *batch.Job:
		return &x.Spec.Template
	}
	return nil
}

// Every overlay builds, fits the schema, and starts the program with flags that it knows, as a user
// without rights.
func TestKubernetes(t *testing.T) {
	entries, err := os.ReadDir("kubernetes/overlays")
	if err != nil || len(entries) < 6 {
		t.Fatalf("%d overlays: %v", len(entries), err)
	}
	for _, e := range entries {
		name := e.Name()
		objects := overlay(t, name)
		pods := 0
		for id, x := range objects {
			pod := podOf(x)
			if pod == nil {
				continue
			}
			pods++
			if s := pod.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil ||
				!*s.RunAsNonRoot || pod.Spec.TerminationGracePeriodSeconds == nil {
				t.Errorf("%s: %s runs as root, or has no time to end", name, id)
			}
			for _, c := range pod.Spec.Containers {
				if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil ||
					!*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
					*s.AllowPrivilegeEscalation {
					t.Errorf("%s: %s has more rights than it needs", name, id)
				}
				for _, m := range c.VolumeMounts {
					volume := func(v core.Volume) bool { return v.Name == m.Name }
					if s, ok := x.(*apps.StatefulSet); !slices.ContainsFunc(pod.Spec.Volumes,
						volume) && (!ok || s.Spec.VolumeClaimTemplates[0].Name != m.Name) {
						t.Errorf("%s: %s mounts %s, which it does not have", name, id, m.Name)
					}
				}
				knows(t, name+": "+id, c.Args)
			}
		}
		if pods != 2 {
			t.Errorf("%s: %d kinds of pods, want the trainer's and the workers'", name, pods)
		}
		for _, want := range []string{
			"StatefulSet trainer", "Service trainer", "PodDisruptionBudget trainer",
			"NetworkPolicy trainer",
		} {
			if objects[want] == nil {
				t.Errorf("%s has no %s", name, want)
			}
		}
		if objects["Deployment worker"] != nil && objects["PodDisruptionBudget worker"] == nil {
			t.Errorf("%s: workers have no PodDisruptionBudget", name)
		}
	}
	gpu := podOf(overlay(t, "gpu")["Deployment worker"]).Spec.Containers[0]
	if n := gpu.Resources.Limits["nvidia.com/gpu"]; n.Value() != 1 ||
		!slices.Contains(gpu.Args, "--device=cuda") || len(gpu.Env) > 0 {
		t.Errorf("a worker on a device: %+v", gpu)
	}
	if tolerations := podOf(overlay(t, "spot")["Deployment worker"]).Spec.Tolerations; len(
		tolerations) == 0 {
		t.Error("workers do not tolerate spot nodes")
	}
	if tolerations := podOf(overlay(t, "spot")["StatefulSet trainer"]).Spec.Tolerations; len(
		tolerations) > 0 {
		t.Error("the trainer tolerates spot nodes")
	}
}

// knows checks that the program knows the flags of a command line.
func knows(t *testing.T, what string, args []string) {
	t.Helper()
	if len(args) == 0 {
		t.Errorf("%s: no command", what)
		return
	}
	var out, problems bytes.Buffer
	if code := cmd.Main([]string{
		args[0], "--help",
	}, strings.NewReader(""), &out, &problems); code != 0 {
		t.Errorf("%s: %s: %s", what, args[0], problems.String())
	}
	for _, a := range args[1:] {
		flag, _, _ := strings.Cut(a, "=")
		if strings.HasPrefix(flag, "--") && !strings.Contains(out.String(), " "+flag+" ") {
			t.Errorf("%s: tengen %s has no flag %s", what, args[0], flag)
		}
	}
}

// The compose files for workers start the program with flags that it knows.
func TestComposeCluster(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Command string
			Volumes []string
		}
	}
	read(t, "compose.cluster.yaml", &file)
	if len(file.Services) != 2 {
		t.Errorf("%d services", len(file.Services))
	}
	for name, s := range file.Services {
		knows(t, name,
			strings.Fields(strings.NewReplacer("${TENGEN_TRAIN:-", "", "}", "").Replace(s.Command)))
		if len(s.Volumes) == 0 {
			t.Errorf("%s has no keys", name)
		}
	}
}
