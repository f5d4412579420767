package training

// generated are the tables of generated loops, by the names of paths.
var generated = map[string]*table{"avx512": &tableAVX512, "avx2": &tableAVX2}
