package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tengen/internal/notation"
)

// HelpWidth is the greatest number of columns of a line of help, one less than a terminal has.
const HelpWidth = 79

// WrapHelp has the help of root and its commands fit a terminal of 80 columns: paragraphs are
// filled again, lists and flags are wrapped.
func WrapHelp(root *cobra.Command) {
	named := asStarted(root)
	cobra.AddTemplateFunc("fill", func(text string) string { return Fill(named(text)) })
	cobra.AddTemplateFunc("hang", hang)
	cobra.AddTemplateFunc("named", named)
	root.SetHelpTemplate(strings.NewReplacer(
		"{{. | trimTrailingWhitespaces}}", "{{fill . | trimTrailingWhitespaces}}",
	).Replace(root.HelpTemplate()))
	root.SetUsageTemplate(strings.NewReplacer(
		"{{rpad .Name .NamePadding }} {{.Short}}", "{{hang .Name .NamePadding .Short}}",
		"{{rpad .CommandPath .CommandPathPadding}} {{.Short}}",
		"{{hang .CommandPath .CommandPathPadding .Short}}",
		"{{.Example}}", "{{named .Example}}",
		".LocalFlags.FlagUsages", "(named (.LocalFlags.FlagUsagesWrapped 80))",
		".InheritedFlags.FlagUsages", "(.InheritedFlags.FlagUsagesWrapped 80)",
	).Replace(root.UsageTemplate()))
}

// asStarted returns a function that has the commands in a text of help begin with the program as it
// was started.
func asStarted(root *cobra.Command) func(text string) string {
	commands := regexp.MustCompile(`\btengen(-lab)? ([a-z]+)`)
	return func(text string) string {
		return commands.ReplaceAllStringFunc(text, func(found string) string {
			_, word, _ := strings.Cut(found, " ")
			if !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
				return c.Name() == word
			}) {
				return found
			}
			return notation.Program() + " " + word
		})
	}
}

// Fill breaks the paragraphs of a text anew, so that no line is longer than HelpWidth. Lines that
// begin with a space are those of a list, and are kept; one that is too long goes on with the same
// indentation.
func Fill(text string) string {
	var out []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		var lines []string
		flows := false // the line before does not belong to a list
		for _, line := range strings.Split(paragraph, "\n") {
			if listed := strings.HasPrefix(line, " ") ||
				strings.HasPrefix(line, "\t"); listed || !flows {
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
	return hangLine(line, len(line)-len(strings.TrimLeft(line, " ")))
}

// Hang breaks the lines of a text that are longer than HelpWidth; each goes on in column indent.
func Hang(text string, indent int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, l := range hangLine(strings.TrimSuffix(line, "\n"), indent) {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// hangLine breaks a line at spaces behind column indent, with which the lines after the first
// begin.
func hangLine(line string, indentation int) []string {
	if ansi.StringWidth(line) <= HelpWidth {
		return []string{line}
	}
	indent := strings.Repeat(" ", indentation)
	first := indent
	if head := []rune(line); len(head) > indentation {
		first, line = string(head[:indentation]), string(head[indentation:])
	}
	var lines []string
	at := ""
	for _, word := range strings.Fields(line) {
		switch {
		case at == "":
			at = first + word
		case ansi.StringWidth(at)+1+ansi.StringWidth(word) > HelpWidth:
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
