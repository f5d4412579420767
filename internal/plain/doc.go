// Package plain makes text from elsewhere (names in files, paths, values of a configuration) safe to print in a
// terminal and to paste into a shell:
//
//	fmt.Println(plain.Text(name))
//	fmt.Printf("go on with: tengen train --resume --run %s\n", plain.Shell(folder))
package plain
