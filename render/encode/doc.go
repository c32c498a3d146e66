// Package encode turns frames into files: FITS for science, PNG for the eye, JSON for the record.
//
// A frame's row 0 is the top of the image. FITS stores rows bottom-up (its row 1 is the frame's row H-1), PNG top-down. Only
// finite pixels are written; a NaN or an infinity is an error that names the pixel. What package fitsio leaves to its
// caller is done here: quoting, characters outside ASCII, numbers a card cannot hold, pixel counts, DATASUM and CHECKSUM on
// the way out; sizes, sums and damage of any kind on the way in.
package encode
