"""Writes t.parquet and the files beside it that are refused. Run once, with pyarrow 26.0.1."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

columns = {
    "x": pa.array([0.1, None, -2.5, 4.0], pa.float64()),
    "single": pa.array([0.5, 1.5, None, 2.5], pa.float32()),
    "byte": pa.array([200, 0, 1, None], pa.uint8()),
    "id": pa.array([9007199254740993, 1, 9007199254740993, 1], pa.int64()),
    "huge": pa.array([18446744073709551615, 1, None, 1], pa.uint64()),
    "price": pa.array([Decimal("1.10"), Decimal("-0.05"), None, Decimal("12345.67")], pa.decimal128(9, 2)),
    "flag": pa.array([True, False, None, True], pa.bool_()),
    "zip": pa.array(["0123", "0999", "0123", None], pa.string()),
    "dna": pa.array(["ACGTACGTAC", "GGGTACGTAC", "", "ACGTTTGTAG"], pa.large_string()),
    "colour": pa.array(["red", "blue", "red", None]).dictionary_encode(),
    "day": pa.array([dt.date(2024, 3, 1), dt.date(1969, 12, 31), None, dt.date(2000, 2, 29)], pa.date32()),
    "time": pa.array([1709294400000, 0, -43200000, None], pa.timestamp("ms", tz="UTC")),
    "fine": pa.array([1709294400000000000, 0, None, 0], pa.timestamp("ns")),
    "nothing": pa.nulls(4),
    "__index_level_0__": pa.array([3, 1, 4, 1], pa.int64()),
}
# Two row groups, and every way of packing that pyarrow can name for a column.
packed = dict(zip(columns, ["snappy", "zstd", "gzip", "lz4", "none"] * 3))
pq.write_table(pa.table(columns), "t.parquet", row_group_size=3, compression=packed, store_schema=False)

# The types of older writers: timestamps of 96 bits, strings that are not called so.
old = pa.table({"when": pa.array([1709294400000000000, None], pa.timestamp("ns")), "word": pa.array([b"a", b"b"], pa.binary())})
pq.write_table(old, "t_old.parquet", use_deprecated_int96_timestamps=True, version="1.0", store_schema=False)

lists = pa.table({"a": [1, 2], "v": pa.array([[1.0, 2.0], [3.0]], pa.list_(pa.float64()))})
pq.write_table(lists, "t_lists.parquet", store_schema=False)
