package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// HelpWidth is the greatest number of columns of a line of help, one less than a terminal has.
const HelpWidth = 79

// WrapHelp has the help of root and its commands fit a terminal of 80 columns: paragraphs are filled
// again, lists and flags are wrapped.
func WrapHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("fill", Fill)
	cobra.AddTemplateFunc("hang", hang)
	root.SetHelpTemplate(strings.NewReplacer(
		"{{. | trimTrailingWhitespaces}}", "{{fill . | trimTrailingWhitespaces}}",
	).Replace(root.HelpTemplate()))
	root.SetUsageTemplate(strings.NewReplacer(
		"{{rpad .Name .NamePadding }} {{.Short}}", "{{hang .Name .NamePadding .Short}}",
		"{{rpad .CommandPath .CommandPathPadding}} {{.Short}}", "{{hang .CommandPath .CommandPathPadding .Short}}",
		".LocalFlags.FlagUsages", "(.LocalFlags.FlagUsagesWrapped 80)",
		".InheritedFlags.FlagUsages", "(.InheritedFlags.FlagUsagesWrapped 80)",
	).Replace(root.UsageTemplate()))
}

// Fill breaks the paragraphs of a text anew, so that no line is longer than HelpWidth. Lines that begin with a
// space are those of a list, and are kept; one that is too long goes on with the same indentation.
func Fill(text string) string {
	var out []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		var lines []string
		flows := false // the line before does not belong to a list
		for _, line := range strings.Split(paragraph, "\n") {
			if listed := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); listed || !flows {
				lines, flows = append(lines, line), !listed
			} else {
				lines[len(lines)-1] += " " + line
			}
		}
		var filled []string
		for _, line := range lines {
			filled = append(filled, fillLine(line)...)
		}
		out = append(out, strings.Join(filled, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// fillLine breaks a line at spaces.
func fillLine(line string) []string {
	if len([]rune(line)) <= HelpWidth {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	at := ""
	for _, word := range strings.Fields(line) {
		switch {
		case at == "":
			at = indent + word
		case len([]rune(at))+1+len([]rune(word)) > HelpWidth:
			lines = append(lines, at)
			at = indent + word
		default:
			at += " " + word
		}
	}
	return append(lines, at)
}

// hang returns a line of a list of commands, its name in padding columns, after two spaces that the
// template prints.
func hang(name string, padding int, short string) string {
	indent := padding + 3
	lines := fillLine(strings.Repeat(" ", indent) + short)
	lines[0] = name + strings.Repeat(" ", max(0, padding-len(name))+1) + lines[0][indent:]
	return strings.Join(lines, "\n")
}
