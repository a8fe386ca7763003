"""Runs a program under ncu and reads back what it counted."""

import csv
import io
import os
import subprocess
import tempfile

RANGE_COLUMN = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"


def count(command, kernels, metrics):
    """One dict per launch of the kernels that match, in launch order: its NVTX range and its metrics as numbers.

    Needs ncu on PATH and permission to count. Clocks are left alone.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "ncu.csv")
        subprocess.run(
            ["ncu", "--clock-control", "none", "--nvtx", "--csv", "--page", "raw", "--print-units", "base",
             "--log-file", log, "--metrics", ",".join(metrics), "-k", kernels, *command],
            check=True, stdout=subprocess.DEVNULL)
        with open(log) as lines:
            rows = csv.DictReader(io.StringIO("".join(line for line in lines if line.startswith('"'))))
            launches = []
            for row in rows:
                if row["ID"] == "":
                    continue  # the row of units
                launch = {metric: float(row[metric].replace(",", "")) for metric in metrics}
                launch["range"] = row[RANGE_COLUMN].split("<default domain>:")[-1].split(":none")[0]
                launches.append(launch)
            return launches
