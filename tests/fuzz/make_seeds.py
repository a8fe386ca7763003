#!/usr/bin/env python3
"""Small versions of the files that gpumem ships, for the fuzz targets to start from.

make_seeds.py FOLDER writes FOLDER/report, FOLDER/profile, FOLDER/suite, FOLDER/axis_values and FOLDER/indices. Files of the usual size
would take most of the time to read: a few cases and samples have every member too.
"""

import gzip
import json
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AXIS_VALUES = ("0..32", "0..32:4", "1..1024*2", "1,2,5,8..10", "4KiB..1GiB*4", "auto", "read,write", "pinned,pageable", "-1",
               "18446744073709551615", "16 MiB", "0.5%", "90 %,100%", "2s", "500ms", "1.5min",
               "i % 48 * 64 + i / 48", "i * {1..32}", "i&1?min(i,n):~block/(lane-3)", "(i*0x9E37>>4^warp)<<2|thread%5",
               "i<9&&n>=i||!i!=(i<=3)-max(1,-i)", "UNIFORM:8:4:NR MS1:8:4:32", "LAPLACIAN:2:1:1000", "0,4,8",
               "a.npy#1", "all", " ", "1024 ", "UNIFORM:8:0", "UNIFORM:8:1:0", "MS1:8:2,3:20,22", "FILE=a.json", "i * 3",
               "warp * 32 + lane, block * 256 + thread", "u32", "u64,i64", "none,3,0,5,2,3,-4",
               "column * pitch + row", "read: i * 4, write: column * pitch + row")
BANK_GRID = {"tile_rows": 200, "tile_columns": 2, "first_row": 7, "first_column": 0, "element_bytes": 8, "banks": ["0v", "12"],
             "requests": 9, "wavefronts": 3, "least_wavefronts": 1, "elements": 2,
             "lanes": [{"lane": 31, "row": 8, "column": 1, "wavefront": 2}], "text": "The slowest"}


def spread(several, most):
    """At most that many of them, from everywhere."""
    return several[::max(1, len(several) // most)][:most]


def reduced_report(report):
    if "results" not in report:  # a golden file of something else
        return None
    report["command"] = []
    report["results"] = spread(report["results"], 3)
    report["checks"] = [check for check in report.get("checks") or []
                        if all(case < len(report["results"]) for case in check["cases"])]
    for members in (report.get("program") or {}).get("timeline") or {}, {"advice": report.get("advice") or []}:
        for member in members.values():
            if isinstance(member, list):
                del member[2:]
    for result in report["results"]:
        if result.get("time_seconds"):
            result["time_seconds"]["samples"] = result["time_seconds"]["samples"][:1]
        if result.get("probe") == "shared-pattern":
            result["bank_grid"] = BANK_GRID  # which is large in reports, and absent from older ones
        if result.get("timeline"):
            result["timeline"] = result["timeline"][:4]
    return report


def reduced_profile(profile):
    for rate in profile.get("rates", {}).values():
        rate["how"] = "so"
    return profile


def reduced_suite(suite):
    if "probes" not in suite:  # of kernels
        return suite
    suite["probes"] = spread(suite["probes"], 4)
    kept = [entry["probe"] for entry in suite["probes"]]
    of_kept = [one for one in suite.get("expectations", []) if one.get("cases", {}).get("probe") in kept]
    suite["expectations"] = spread(of_kept, 6)
    for expectation in suite["expectations"]:
        expectation.pop("because", None)
    return suite


def write(folder, files, reduced):
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        value = reduced(json.loads(path.read_text(encoding="utf-8")))
        if value is None:
            continue
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        (folder / f"{path.parent.name}-{path.name}").write_text(text, encoding="utf-8")


def npy(values):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}i", *values)


def index_files():
    """Behind a byte that says nothing of the format (7), names a column (23), or counts to it (15)."""
    matrix = b"%%MatrixMarket matrix coordinate real symmetric\n% made up\n3 3 3\n1 1 1\n3 1 -2\n3 2 1e3\n"
    plain = [npy([5, 7, 2]), b"1 2 3 # four\n4,5\n6.0e+0", matrix, gzip.compress(npy([5, 7, 2]))]
    column = [b"w,x\n1,2\n3,\"4\"\n", b"w\tx\r\n1\t2\r\n", b"# from to\n 1  2\n 3  4\n", b"w;x\n1;2\n"]
    return [*(b"\x07" + file for file in plain), *(b"\x0f" + file for file in column),
            *(b"\x17" + file for file in column), b"\x02" + struct.pack("<9Q", *range(9))]


def main():
    folder = Path(sys.argv[1])
    reports = [*ROOT.glob("configs/reference/*/*.json"), *ROOT.glob("tests/report/golden/*.json")]
    write(folder / "report", sorted(reports), reduced_report)
    write(folder / "profile", sorted(ROOT.glob("configs/gpus/*.json")), reduced_profile)
    profile = json.loads((ROOT / "configs/gpus/v100.json").read_text(encoding="utf-8"))
    del profile["rates"]
    (folder / "profile" / "no-rates.json").write_text(json.dumps(profile), encoding="utf-8")
    write(folder / "suite", sorted(ROOT.glob("configs/*.json")), reduced_suite)
    (folder / "axis_values").mkdir(exist_ok=True)
    for number, text in enumerate(AXIS_VALUES):
        (folder / "axis_values" / str(number)).write_text(text, encoding="utf-8")
    (folder / "indices").mkdir(exist_ok=True)
    for number, content in enumerate(index_files()):
        (folder / "indices" / str(number)).write_bytes(content)


main()
