package encode

import (
	"encoding/json"
	"fmt"
	"io"
)

// Report is the record of one render, written as JSON. Times are in seconds, memory in bytes.
type Report struct {
	Version      string            `json:"version"`
	Commit       string            `json:"commit"`
	Diagnostic   bool              `json:"diagnostic,omitempty"` // a backend that makes no image
	Catalogue    CatalogueReport   `json:"catalogue"`
	Map          MapReport         `json:"map"`
	Images       ImagesReport      `json:"images"`
	Accumulation Accumulation      `json:"accumulation"`
	Stages       []Stage           `json:"stages"`
	TotalFlux    [3]float64        `json:"total_flux_rgb"`    // from the pixels
	ExpectedFlux [3]float64        `json:"expected_flux_rgb"` // from the star images
	SumsSHA256   string            `json:"sums_sha256,omitempty"`
	ExactLoss    *float64          `json:"exact_loss,omitempty"` // fraction of the flux that rounded to zero
	Parameters   map[string]string `json:"parameters"`
	Threads      int               `json:"threads"`
	ChunkEvents  int               `json:"chunk_events"`
	Host         Host              `json:"host"`
	Device       Device            `json:"device"`
	Inputs       []Input           `json:"inputs"`
	MapSHA256    string            `json:"map_sha256,omitempty"`
	Outputs      []string          `json:"outputs,omitempty"`
	Warnings     []string          `json:"warnings,omitempty"`
}

// CatalogueReport counts rows: rows = stars + the sum of skipped.
type CatalogueReport struct {
	Files     []string         `json:"files"`
	Rows      int64            `json:"rows"`
	Stars     int64            `json:"stars"` // rows less skipped ones and tiles.missing_stars
	Skipped   map[string]int64 `json:"skipped"`
	FirstLine map[string]int64 `json:"skipped_first_line,omitempty"` // line of the first row of each reason
	Clamped   int64            `json:"clamped"`                      // colour index outside its relation's range
	NoColour  int64            `json:"default_temperature"`          // no temperature and no colour index: 5772 K
	Band      string           `json:"band,omitempty"`               // of the magnitudes read, of each file
	V         []string         `json:"v_derivation,omitempty"`       // how bands other than V became V
	Tiles     *TilesReport     `json:"tiles,omitempty"`              // of tiled stores and directories
}

// TilesReport counts the tiles of a store or a directory; those of a store that the map does not use are never read.
type TilesReport struct {
	Total        int64    `json:"total"`
	Read         int64    `json:"read"`
	Missing      []string `json:"missing,omitempty"`       // missing or damaged, left out by --allow-missing
	MissingStars int64    `json:"missing_stars,omitempty"` // that those of a store should have held
}

// MapReport counts the lens map's parts.
type MapReport struct {
	Vertices  int64 `json:"vertices"`
	Triangles int64 `json:"triangles"`
	Dropped   int64 `json:"dropped"`
}

// ImagesReport counts star images: total is the sum of the other four.
type ImagesReport struct {
	Total       int64 `json:"total"`
	Cached      int64 `json:"cached"`
	WingClipped int64 `json:"wing_clipped"`
	Direct      int64 `json:"direct"`
	Discarded   int64 `json:"discarded"`
	// BeyondMargin bounds the luminance that direct images beyond the map's margin could have put into the frame.
	BeyondMargin float64 `json:"beyond_margin_flux"`
}

// Accumulation says what summed the pixels and how fast.
type Accumulation struct {
	Backend                string             `json:"backend"`
	Device                 string             `json:"device"`
	Path                   string             `json:"path"`
	Paths                  map[string]int64   `json:"paths,omitempty"`       // chunks (or blocks) by path chosen
	PathEvents             map[string]int64   `json:"path_events,omitempty"` // events by path chosen
	Costs                  map[string]float64 `json:"costs,omitempty"`       // measured, by which auto chose; the unit ends the key
	Precision              string             `json:"precision"`
	Events                 int64              `json:"events"`
	EventsPerSecond        float64            `json:"events_per_s"`
	Contributions          int64              `json:"contributions"`
	ContributionsPerSecond float64            `json:"contributions_per_s"`
	BlockSize              int                `json:"block_size,omitempty"`
	DirectSeconds          float64            `json:"direct_s"`                   // time of the direct (bright) events, on the CPU
	MeshBound              *float64           `json:"mesh_error_bound,omitempty"` // error bound of the mesh path over its block's peak
}

// Stage is one stage's time: WallS while it was busy (stages overlap), DeviceS as the device's own clock measured it.
type Stage struct {
	Name    string  `json:"name"`
	WallS   float64 `json:"wall_s"`
	DeviceS float64 `json:"device_s"`
}

// Host is the machine.
type Host struct {
	OS  string `json:"os"`
	CPU string `json:"cpu"`
}

// Device is the accelerator; on the CPU both fields say so.
type Device struct {
	Name   string `json:"name"`
	Driver string `json:"driver"`
}

// Input is a file that was read.
type Input struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// WriteReport writes r, a Report or a struct that embeds one, as indented JSON with a final newline. Numbers must be finite.
func WriteReport(w io.Writer, r any) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: report: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
