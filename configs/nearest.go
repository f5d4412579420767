package configs

import (
	"fmt"
	"strings"

	"tengen/internal/notation"
)

// nearest suggests a key in place of an unknown word in a group of a file: a key's
// present name, a key of the same name in another group, or the one with the most similar name, in
// this group or elsewhere.
func nearest(group, word string) string {
	if why := whyRemoved(strings.TrimPrefix(group+"."+word, ".")); why != "" {
		return why
	}
	if f, ok := byKey[word]; ok {
		group, name := f.split()
		if group == "" {
			return fmt.Sprintf(" (%s belongs at the top level)", name)
		}
		return fmt.Sprintf(" (write %s within the group %s)", name, group)
	}
	for _, f := range fields {
		if _, name := f.split(); name == word {
			return didYouMean(f)
		}
	}
	if f := abbreviated(word); f != nil {
		return didYouMean(*f)
	}
	own := children(group)
	hint := notation.DidYouMean(word, own)
	for _, f := range fields {
		_, name := f.split()
		own = append(own, name)
	}
	if hint != "" && hint == notation.DidYouMean(word, own) {
		return hint
	}
	return nearestName(word)
}

// nearestKey suggests a key in place of an unknown one of the form group.name.
func nearestKey(key string) string {
	if why := whyRemoved(key); why != "" {
		return why
	}
	for _, f := range fields {
		if _, name := f.split(); name == key {
			return didYouMean(f)
		}
	}
	if f := abbreviated(key[strings.LastIndexByte(key, '.')+1:]); f != nil {
		return didYouMean(*f)
	}
	if hint := notation.DidYouMean(key, Keys()); hint != "" {
		return hint
	}
	return nearestName(key)
}

// nearestName suggests the first key whose name within its group is similar to word.
func nearestName(word string) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		_, names[i] = f.split()
	}
	hint := notation.DidYouMean(word, names)
	if hint == "" {
		return ""
	}
	for i, f := range fields {
		if notation.DidYouMean(word, names[i:i+1]) == hint {
			return didYouMean(f)
		}
	}
	return ""
}

// abbreviated returns the only field whose name has a word for each letter of word: lr for
// learning_rate. It returns nil if there is none.
func abbreviated(word string) (found *field) {
	for i, f := range fields {
		_, name := f.split()
		initials := ""
		for _, w := range strings.Split(name, "_") {
			initials += w[:1]
		}
		if len(word) > 1 && strings.EqualFold(initials, word) {
			if found != nil {
				return nil
			}
			found = &fields[i]
		}
	}
	return found
}

// Named returns the key that a word names without its group, as in learning-rate, or abbreviates;
// "" if there is none, or more than one.
func Named(word string) (key string) {
	word = strings.ReplaceAll(word, "-", "_")
	for _, f := range fields {
		if _, name := f.split(); name == word || f.key == word {
			if key != "" {
				return ""
			}
			key = f.key
		}
	}
	if f := abbreviated(word); key == "" && f != nil {
		return f.key
	}
	return key
}

func didYouMean(f field) string { return fmt.Sprintf(" (did you mean %q?)", f.key) }

// split returns the field's group, "" at the top level, and its name there.
func (f field) split() (group, name string) {
	if group, name, ok := strings.Cut(f.key, "."); ok {
		return group, name
	}
	return "", f.key
}
