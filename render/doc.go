// Package render draws star catalogues, seen through a gravitational lens or through flat space, as HDR images.
//
// Follow one star from the file to the pixel, downhill:
//
//	config.go   Config: what to draw, checked before any file is opened
//	run.go      Run: lens map -> catalogue -> star images -> sink -> HDR -> files
//	mapping.go  the lens map, built or loaded              (lens/: camera, spacetime, mesh, inverse mapping)
//	stars.go    the catalogues, streamed; the exposure     (catalog/: readers, tiled store)
//	images.go   producers: star + map -> events            (star/: flux and colour; color/; psf/; event/)
//	canvas.go   the backend that sums the events           (sink/: cpu, vulkan, hip, count; mesh/)
//	output.go   frame -> FITS, PNG, report                 (hdr/, encode/, outfile/)
//
// Config documents every parameter; spec terms (tail radius, direct, phase, exact) are those of packages psf and sink.
package render
