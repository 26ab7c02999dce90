# Writes parquetCodecs.json: 300 ticks as pyarrow compresses them, base64 by codec; and parquetBomb.json: 12 million equal ticks in one group. python3 -m pip install pyarrow==26.0.1; python3 test/golden/makeParquet.py
import base64
import io
import json
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

COUNT = 300
START_US = 1704810600000000

table = pa.table(
    {
        "timestamp": pa.array([START_US + 250_000 * i for i in range(COUNT)], pa.timestamp("us", tz="UTC")),
        "bid": pa.array([(109431 + (7 * i) % 11) / 1e5 for i in range(COUNT)], pa.float64()),
        "ask": pa.array([(109434 + (7 * i) % 11) / 1e5 for i in range(COUNT)], pa.float64()),
    }
)


def written(codec: str, **options: object) -> str:
    file = io.BytesIO()
    pq.write_table(table, file, compression=codec, row_group_size=200, **options)
    return base64.b64encode(file.getvalue()).decode()


made = {codec: written(codec) for codec in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]}
made["lz4, plain pages of version 2"] = written("lz4", use_dictionary=False, data_page_version="2.0")
made["brotli, plain pages of version 2"] = written("brotli", use_dictionary=False, data_page_version="2.0")
pathlib.Path(__file__).with_name("parquetCodecs.json").write_text(json.dumps(made, indent=2) + "\n")

bomb = io.BytesIO()
many = 12_000_000
equal = pa.table({"timestamp": pa.repeat(pa.scalar(START_US, pa.timestamp("us")), many), "price": pa.repeat(pa.scalar(1.5, pa.float64()), many)})
pq.write_table(equal, bomb, compression="zstd", row_group_size=many, write_statistics=False, data_page_size=1 << 30, max_rows_per_page=many)
made = {"file": base64.b64encode(bomb.getvalue()).decode()}
pathlib.Path(__file__).with_name("parquetBomb.json").write_text(json.dumps(made, indent=2) + "\n")
