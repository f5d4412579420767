// Package notation reads and writes what people type and read: the names of games and players,
// files of keys, and text from elsewhere.
//
// The notation of games and players is a name, a colon, and key=value pairs separated by commas.
// Lists are in brackets.
//
//	a game     go:size=5,players=3,komi=[0,0,0]
//	a player   uct:simulations=180,c=0.8
//	a network  az:runs/first,simulations=180
//
// The last form has a bare argument (a path) before its keys. A value that has a comma or another
// character of the notation is in quotation marks, as a string of Go:
//
//	az:"runs/a=10,b=20",simulations=180
//
// The error for an unknown key or an invalid value names the nearest valid key or the valid values.
//
// Files of keys are of YAML, one mapping each. Errors name the file and the line. A key may occur
// twice in what ParseYAML returns; the caller reports it.
//
//	keys, err := notation.ParseYAML("d.yaml", text, "plus: 5")
//	for entries := keys.MapRange(); entries.Next(); {
//		…
//		return notation.ErrorAt("d.yaml", entries.Key(), "unknown key %q", key)
//	}
//
// Text from elsewhere (names in files, paths, values of a configuration) is made safe to print in a
// terminal and to paste into a shell:
//
//	fmt.Println(notation.Plain(name))
//	fmt.Printf("go on with: tengen train --resume --run %s\n", notation.Shell(folder))
package notation
