package training

// generated are the tables of generated loops, by the names of paths.
var generated = map[string]*table{"neon": &tableNEON}
