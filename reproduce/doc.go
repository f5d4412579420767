// Package reproduce repeats published experiments and puts theirs beside ours.
//
// [DescentAblation] trains small networks under conditions that differ in one
// thing, has them play one another, and writes what came of it as a page.
package reproduce
