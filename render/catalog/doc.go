// Package catalog reads star catalogues: whatever an astronomer has, turned row by row into a direction, a V magnitude and
// a temperature.
//
//	src, err := catalog.Open(path, catalog.Options{Workers: 2})
//	err = src.Read(ctx, func(batch []catalog.Star) error { ... })
//	st := src.Stats() // rows, stars, skipped by reason, columns used, SHA-256
//
// Open looks at the content, never at the file name, and takes gzip, bzip2 and zstd off by itself:
//
//	text/     CSV, TSV, whitespace tables, ECSV, IPAC tables, raw 2MASS and Tycho-2 records
//	votable/  VOTable: TABLEDATA, BINARY, BINARY2
//	fits/     FITS binary and ASCII tables
//	parquet/  Parquet files and HEALPix-partitioned (HATS) directories
//	table/    the contract of those readers: columns and blocks of rows
//	store/    the tiled store that `grsplat catalog build` makes, read a tile at a time
//	synth/    the synthetic sky
//
// A directory is a HATS directory (Norder=/Dir=/Npix=) or one of RAxxx/Decxxx.csv tiles; its files are read in order of
// their names. Stars arrive in file order, in batches that the callee may keep only until it returns. Memory is bounded by
// the number of workers, not by the file. Every row of a file becomes a star or is counted in Stats.Skipped under its
// reason: Rows = Stars + skipped, always.
//
// # Which column is what
//
// Option Columns (role=name) decides first; then a UCD that calls a position the table's main one; then the names in
// aliases.txt, compared without case and with '-', ' ' and '.' as '_', in the order of that file; then any other UCD.
//
// # Missing values
//
// An empty cell, NaN, null, \N, N/A, none, masked, ~ and dashes are missing in every format. FITS adds TNULL, VOTable
// VALUES null and the null flags of BINARY2, IPAC the null line of its header, Parquet its nulls. A magnitude beyond
// |m| = 40 (99, -99.99, 1e20) is a sentinel and skipped as one. In Tycho columns (bt, vt, hp) exactly 0 is missing, because
// tables of that catalogue in FITS store it so. A 2MASS band that ph_qual marks U is an upper limit, not a magnitude, and a
// row whose use_src is not 1 is not a point source of its own.
//
// # Magnitude and temperature
//
// The band is Options.Band, else the first of V, G, J, Ks that the file has. Tycho BT and VT give V = VT - 0.090 (BT-VT) and
// B-V = 0.850 (BT-VT) (ESA SP-1200, section 1.3); with one of them missing the other is V and there is no colour.
// Temperature comes from a teff column, else B-V, BP-RP, J-Ks in this order, each by the relation in package color, else
// 5772 K; a column that exists but misses a value in this row hands on to the next.
package catalog
