// Pageload loads the page of a run that is trained, in every way that clients may, and measures
// what training loses, how long a visitor waits for an answer, and how much memory the process
// takes.
//
//	go run ./tools/pageload --rounds 3 --seconds 5
//	go run ./tools/pageload --match 'token|games'
//
// For each kind of load, rounds of a quiet and a loaded time follow each other, and the positions
// that self-play evaluates a second in both are compared: the loss is what the loaded times lack.
// Clients with the token begin four seconds earlier, so that they have taken what is saved up while
// nobody asks. Meanwhile a visitor with the token asks for the status, one request after the other.
// On a machine with taskset the trainer has the first core for itself, and the clients have the
// others; so what clients compute is not counted, and what they cost the trainer is a share of one
// core.
//
// The exit status is 1 if training loses more than 3 % by clients without the token, or 10 % by
// those with it (--without, --with), if a visitor waits for longer than a second (--wait) or gets
// another answer than the status, or if the process takes more memory than --memory MiB more than
// at the beginning. It needs Linux, since it reads /proc.
package main
