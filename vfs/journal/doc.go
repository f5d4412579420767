// Package journal keeps finished pieces of work, such as the games of a match, in a file of JSON
// lines, so that after a kill or a power failure only the missing ones are done.
//
// Each line is a sealed JSON object: its last field, "crc", is the CRC-32C (Castagnoli) of all
// bytes before the comma that precedes it, as eight lower-case hexadecimal digits. The first line
// says what the file belongs to.
//
//	j, err := journal.Open(fsys, "m/match.jsonl", &head, same, accept) // calls accept with each line that is sound
//	err = j.Add(&game)                                                // durable when it returns
//
// Caveats: the file grows only; lines are not ordered. A line that was cut off by a kill is removed
// without a report.
package journal
