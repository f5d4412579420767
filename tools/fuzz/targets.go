package main

import (
	"io/fs"
	"path"
	"strings"
)

// targets returns the fuzz targets below the module's root, in order of their files.
func targets(root fs.FS) (list []target, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "runs"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil || constrained(string(text)) {
			return err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			list = append(list, target{path.Dir(name), string(m[1])})
		}
		return nil
	})
	return list, err
}
