package cli

import (
	"context"
	"strings"

	"grsplat/render/fail"
)

// Group runs the verb below v that args name, or prints what there is. The names of verbs below v are "v sub".
func (c *Console) Group(ctx context.Context, v *Verb, verbs []Verb, args []string) error {
	var names []string
	width := 0
	for _, sub := range verbs {
		if len(args) > 0 && sub.Name == v.Name+" "+args[0] {
			return sub.Run(ctx, c, &sub, args[1:])
		}
		names = append(names, strings.TrimPrefix(sub.Name, v.Name+" "))
		width = max(width, len(sub.Name))
	}
	if len(args) > 0 && args[0] != "--help" && args[0] != "-h" {
		return fail.Usage("%s: unknown verb %q; verbs are %s", v.Name, args[0], strings.Join(names, ", "))
	}
	c.Printf("usage: %s %s VERB ...\n", c.program, v.Name)
	for _, sub := range verbs {
		c.Printf("  %-*s  %s", width, sub.Name, sub.Summary)
	}
	if len(args) == 0 {
		return fail.Usage("%s: no verb given", v.Name)
	}
	return nil
}
