"""Judge of the FITS writer: reads a file with astropy and prints what it says as JSON.

usage: judge.py read FILE | judge.py write FILE BITPIX | judge.py sky FILE RA DEC...
"""
import json
import sys

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS


def read(path):
    # checksum=True warns, and warnings are errors here (-W error).
    with fits.open(path, checksum=True) as hdus:
        hdus.verify("exception")
        primary = hdus[0]
        header = primary.header
        print(json.dumps({
            "hdus": len(hdus),
            "type": str(primary.data.dtype),
            "shape": list(primary.data.shape),
            "data": [v.item() for v in primary.data.ravel()],
            "history": [str(line) for line in header.get("HISTORY", [])],
            "creator": header["CREATOR"], "date": header["DATE"], "unit": header.get("BUNIT", ""),
        }))


def write(path, bitpix):
    values = np.arange(4 * 5 * 3, dtype={-32: ">f4", -64: ">f8"}[bitpix]).reshape(3, 5, 4) / 8
    fits.PrimaryHDU(values).writeto(path, checksum=True)


def sky(path, angles):
    system = WCS(fits.getheader(path)).celestial
    pairs = np.array(angles, dtype=float).reshape(-1, 2)
    print(json.dumps({"pixels": system.wcs_world2pix(pairs, 1).tolist(), "frame": system.wcs.radesys}))


if sys.argv[1] == "read":
    read(sys.argv[2])
elif sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    sky(sys.argv[2], sys.argv[3:])
