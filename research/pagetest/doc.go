// Package pagetest tests the layouts of pages of results: that parts can be made in any order, that
// the page is the golden one, and that damaged parts are refused.
//
//	func TestPage(t *testing.T) {
//		pagetest.Golden(t, multigo.Layout, whole)
//		pagetest.EveryByte(t, multigo.Layout, whole)
//		pagetest.Damaged(t, multigo.Layout, [][3]string{{"table3", `{`, "unexpected end"}})
//	}
//
// The golden page is testdata/page.md; go test -update writes it.
package pagetest
