package catalog

import (
	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// hasPositions accepts a table from which stars could come. Formats that hold several tables take the first such one.
func hasPositions(overrides map[string]string) func(*table.Info) error {
	return func(info *table.Info) error {
		if len(info.Columns) == 0 {
			return fail.Input("no sky positions: a table without columns of single values")
		}
		roles, err := embeddedAliases().resolve(info.Columns, overrides)
		if err != nil {
			return err
		}
		return dropUnpaired(roles, info.Columns)
	}
}
