"""Reports with the predictions of today's program in place of those that they were measured beside: what a user who
measures the same today would read. The model moves on, and reports stay as they were written."""

import json
import os
import sys
from pathlib import Path

import harness

sys.path.append(str(Path(__file__).resolve().parents[2] / "report"))
import prediction  # noqa: E402
from plotting import reports  # noqa: E402

# The model's statements about a case, and those that the program derives from them. The program makes them anew if a
# report lacks them.
SAID = ("predicted_seconds", "no_prediction", "metrics_predicted")
FOLLOWS = ("why", "relative_to_baseline")
OF_TABLES = ("findings", "conclusions")


def paired(old, new, *names):
    """The parts of two lists that have the same `names`."""
    by_name = {tuple(part.get(name) for name in names): part for part in new}
    return [(part, by_name.get(tuple(part.get(name) for name in names), {})) for part in old]


def predict(case, anew):
    """Puts the predictions of one case into the other."""
    case.update({name: anew.get(name) for name in SAID})
    for name in FOLLOWS:
        case.pop(name, None)
    for name in ("headline", "bandwidth_gb_per_s"):
        if case.get(name):
            case[name]["predicted"] = (anew[name] or {}).get("predicted")
    for site, its in paired(case["access"], anew["access"], "site", "space", "op"):
        for name, cost in site.items():
            if isinstance(cost, dict) and "predicted" in cost and name in its:
                cost["predicted"] = its[name]["predicted"]
    stages = {stage["stage"]: {**stage, "counted_s": None} for stage in anew.get("stages") or []}
    for stage in case.get("stages") or []:
        if stage["counted_s"] is not None or stage["stage"] in stages:
            own = stages.setdefault(stage["stage"], {**stage, "predicted_s": None})
            own["counted_s"] = stage["counted_s"]
    case["stages"] = list(stages.values())
    if anew["bottleneck"]:
        counted = (case["bottleneck"] or {}).get("counted")
        case["bottleneck"] = {**anew["bottleneck"], "counted": counted}


def beside_measured(path, folder):
    """The path of the report with today's predictions, in the folder; as it is where no profile was there to predict
    from."""
    report = reports.read(path)
    if not report.profile:
        return path
    target = Path(folder) / Path(path).relative_to(Path(__file__).resolve().parents[2])
    if target.exists():
        return str(target)
    predictor = prediction.Predictor(harness.PROGRAM)
    ran = [case for case in report.results if case.status == "ok"]
    anew = {}
    for said, names in predictor.reports(report, ran):
        cases = reports.parse(said, harness.PROGRAM).results
        anew.update((prediction.case_key(case, names), raw) for case, raw in zip(cases, json.loads(said)["results"]))
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    for case in ran:
        predict(data["results"][case.place], anew[prediction.case_key(case)])
    for name in OF_TABLES:
        data.pop(name, None)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(data), encoding="utf-8")
    beside.replace(target)
    return str(target)
