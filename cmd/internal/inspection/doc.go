// Package inspection writes as text what package run/inspect reports about files, folders and games:
//
//	report, err := inspect.Look(ctx, "runs/quick", inspect.Options{})
//	err = inspection.Write(os.Stdout, report)
package inspection
