// Package yamlfile reads YAML files that consist of one mapping, and makes errors
// that name the file and the line:
//
//	keys, err := yamlfile.Parse("d.yaml", text, "plus: 5")
//	for entries := keys.MapRange(); entries.Next(); {
//		…
//		return yamlfile.Errorf("d.yaml", entries.Key(), "unknown key %q", key)
//	}
//
// A key may occur twice in what Parse returns; the caller reports it.
package yamlfile
