// Package leaks checks that tests leave no goroutine running. It is goleak with the patience that a
// loaded machine needs: goleak itself waits less than half a second for goroutines that are about to end.
//
//	func TestMain(m *testing.M) { leaks.Main(m) }
package leaks
