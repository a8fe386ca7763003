"""Names of parameters, metrics and stages in words, as the program's own tables say them."""

COUNTS = ("copies", "passes", "streams", "chunks")
AMOUNTS = ("elements", "words", "sectors", "lines", "rows", "columns")
UNITS = ("cycles", "ns", "us", "ms", "s", "percent", "copies", "passes", *AMOUNTS)
STAGES = {
    "launch": "the launch itself", "latency": "latency (too little in flight)",
    "l2_sectors": "the sectors moved between L1 and L2", "l2_lines": "the lines fetched into L2",
    "dram": "device memory", "shared_wavefronts": "the wavefronts of shared memory", "pcie": "the host link",
    "copies": "the calls that start copies", "host_copy": "the host's own copying", "kernel": "the kernel",
    "host": "the host's work"}


def spaced(name):
    return name.replace("_", " ")


def is_size(parameter):
    return parameter.endswith("_bytes") and parameter != "word_bytes"


def size_in_words(size):
    for factor, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= factor and size % (factor // 4) == 0:
            return f"{size / factor:g} {unit}"
    return f"{size:g} B"


def value_text(parameter, value):
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:60] + "..."
    return size_in_words(value) if is_size(parameter) else f"{value:g}" if isinstance(value, float) else str(value)


def singular(plural):
    return {"copies": "copy", "passes": "pass"}.get(plural, plural[:-1] if plural.endswith("s") else plural)


def axis_label(parameter):
    """Of an axis whose ticks are this parameter's values."""
    label, _, unit = parameter.rpartition("_")
    if "_per_" in parameter or parameter in COUNTS or not label:
        return spaced(parameter)
    if parameter == "word_bytes":
        return "word size, bytes"
    if is_size(parameter):
        return spaced(label) if label == "size" else spaced(label) + " size"
    if unit == "percent":
        return spaced(label) + ", %"
    if unit in AMOUNTS:
        return f"{spaced(label)}, {unit}"
    return f"{unit} per {spaced(label)}" if unit in ("threads", "warps") else spaced(parameter)


def phrase(parameter, value):
    """A parameter with its value, as in 'offset 1', '4-byte words' or 'pinned'."""
    text = value_text(parameter, value)
    label, _, unit = parameter.rpartition("_")
    if parameter == "word_bytes" and text != "auto":
        return f"{text}-byte words"
    if "_per_" in parameter:
        counted, _, per = parameter.partition("_per_")
        return f"{text} {spaced(counted if text != '1' else singular(counted))} per {spaced(per)}"
    if parameter in COUNTS:
        return f"{text} {parameter if text != '1' else singular(parameter)}"
    if unit in ("threads", "warps") and label:
        return f"{text} {unit} per {spaced(label)}"
    if unit == "percent" and label:
        return f"{spaced(label)} {text} %"
    if isinstance(value, str) and text != "auto":
        return text
    return f"{spaced(label if label and (unit in AMOUNTS or unit == 'bytes') else parameter)} {text}"


def metric_label(metric):
    """A metric with its unit, for an axis or a table."""
    if metric.endswith("_gb_per_s"):
        return spaced(metric[:-len("_gb_per_s")]) + ", GB/s"
    if "_per_" in metric:
        return spaced(metric.replace("gb_per_s_", "GB/s "))
    label, _, unit = metric.rpartition("_")
    if label and unit in UNITS:
        return f"{spaced(label)}, {'%' if unit == 'percent' else unit}"
    return f"{spaced(label)} size, bytes" if label and unit == "bytes" else spaced(metric)


def stage_words(stage):
    return STAGES.get(stage, stage)


def figure_text(value):
    """A number in about four digits, as a reader wants it; '' for none."""
    if value is None:
        return ""
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e7):
        return f"{value:.4g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
