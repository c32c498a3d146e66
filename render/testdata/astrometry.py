"""Finds each star of a CSV (ra,dec) in a FITS image at the pixel that the header's WCS says; prints how many and the worst offset."""
import csv
import sys

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

hdu = fits.open(sys.argv[1])[0]
image = hdu.data.sum(axis=0)
wcs = WCS(hdu.header).celestial
found, worst = 0, 0.0
for row in csv.DictReader(open(sys.argv[2])):
    x, y = wcs.all_world2pix(float(row["ra"]), float(row["dec"]), 0)
    i, j = int(round(float(x))), int(round(float(y)))
    box = image[j - 12 : j + 13, i - 12 : i + 13]
    total = box.sum()
    cx = (box.sum(axis=0) * np.arange(i - 12, i + 13)).sum() / total
    cy = (box.sum(axis=1) * np.arange(j - 12, j + 13)).sum() / total
    worst = max(worst, np.hypot(cx - x, cy - y))
    found += 1
print(found, worst)
