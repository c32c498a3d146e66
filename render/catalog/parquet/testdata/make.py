"""Write foreign.parquet and refused columns with pyarrow, for parquet_test.go: python3 make.py (pyarrow 26.0.1)."""
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

n = 5000
i = np.arange(n)
table = pa.table({
    "source_id": pa.array(i, pa.int64()),
    "ra": pa.array(i * 0.07, pa.float64()),
    "dec": pa.array(i * 0.03 - 75, pa.float64()),
    "phot_g_mean_mag": pa.array([None if k % 10 == 0 else float(k % 15) for k in i], pa.float32()),
    "teff": pa.array([5000 + int(k) % 3 for k in i], pa.int32()),
    "ph_qual": pa.array([None if k % 7 == 0 else "AU"[k % 2] * 3 for k in i], pa.string()),
    "flag": pa.array([bool(k % 2) for k in i]),
    "list": pa.array([[1.0, 2.0]] * n),
    "price": pa.array([decimal.Decimal("1.25")] * n, pa.decimal128(9, 2)),
    "s": pa.array([{"x": float(k), "y": None} for k in i], pa.struct([("x", pa.float64()), ("y", pa.float64())])),
})
pq.write_table(table, "foreign.parquet", compression="zstd", row_group_size=2000, data_page_size=4096)
