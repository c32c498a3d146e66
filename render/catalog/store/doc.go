// Package store keeps a catalogue of any size as tiles of the sky.
//
// A store is a HATS directory (Hierarchical Adaptive Tiling Scheme, IVOA note 2025) that LSDB, DuckDB, pyarrow and catalog.Open read,
// with an index of its own beside it:
//
//	DIR/index.json                                    counts, provenance, magnitudes, a row for each tile with its SHA-256
//	DIR/properties, DIR/partition_info.csv            what HATS asks for
//	DIR/dataset/Norder=K/Dir=D/Npix=N.parquet         the stars of one nested HEALPix cell, ordered by cell of order 29
//	DIR/build.partial/                                only while it is being built
//
// A tile is the coarsest cell that holds at most TileRows stars; its stars are in the order of their cells of order 29 and, in
// one cell, in the order of the input. So the bytes depend on the input and TileRows alone, not on memory, workers or interruptions.
//
// Positions are kept at J2000 with proper motions beside them where the input has any.
//
//	s, err := store.Open(dir, store.Options{Epoch: 2000})
//	s.Magnitudes()                       histogram of V, from the index: reads no tile
//	s.Tiles()                            order, pixel, rows of each
//	s.ReadTile(i, buf)                   the stars of one; safe for concurrent use
//	s.Stream(ctx, keep, workers, fn)     loads ahead the tiles that keep(order, pixel) wants
//	s.Source(keep, workers)              the same as a catalog.Source
package store
