// Package cmdtest runs the scripts that test the programs:
//
//	func TestMain(m *testing.M) { cmdtest.Main(m, map[string]func(){"tengen": main}) }
//
//	func TestScripts(t *testing.T) { cmdtest.Run(t, "testdata/script") }
package cmdtest
