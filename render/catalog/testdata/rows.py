"""Print the number of rows that astropy reads from each file of a folder, as JSON; files that it does not read are left out."""
import gzip
import json
import os
import sys
import warnings

from astropy.io import fits
from astropy.io.votable import parse
from astropy.table import Table

warnings.simplefilter("ignore")
ASCII = {".tbl": "ascii.ipac", ".ecsv": "ascii.ecsv", ".cat": "ascii.basic", "tyc2_sample.dat": "|", "suppl_1_sample.dat": "|"}


def rows(path):
    name = os.path.basename(path)
    if name.endswith(".fits"):
        with fits.open(path) as hdus:
            return max(len(h.data) for h in hdus if isinstance(h, (fits.BinTableHDU, fits.TableHDU)))
    if ".xml" in name or name.endswith(".vot"):
        opener = gzip.open if name.endswith(".gz") else open
        with opener(path, "rb") as f:
            return len(parse(f, verify="ignore").get_first_table().array)
    form = ASCII.get(name) or ASCII.get(os.path.splitext(name)[1])
    if form == "|":
        return len(Table.read(path, format="ascii.no_header", delimiter="|"))
    return len(Table.read(path, format=form))


counts = {}
for name in os.listdir(sys.argv[1]):
    try:
        counts[name] = rows(os.path.join(sys.argv[1], name))
    except Exception:  # not a table that astropy reads
        continue
print(json.dumps(counts))
