"""The parameters of each probe's cases that a keyword of another name sets.

tests/program/documents.py makes this file of what `gpumem list` says.
"""

from __future__ import annotations

KEYWORDS: dict[str, dict[str, str]] = {
    "async-copy": {"in_flight_bytes": "in_flight", "copied_by": "async_copy"},
    "atomics": {"space": "atomics_space", "atomic_op": "atomics_op"},
    "bank": {"stride_words": "bank_stride"},
    "batching": {"size_bytes": "size"},
    "blocked": {"run_elements": "run", "buffer_bytes": "buffer"},
    "cache-hint": {"footprint_bytes": "cache_footprint"},
    "cluster": {"cluster_blocks": "cluster", "pull_from": "pull", "pulling_blocks": "pullers", "remote_stride_words": "remote_stride"},
    "coalesced": {"buffer_bytes": "buffer"},
    "constant": {"addresses": "warp_addresses"},
    "fusion": {"size_bytes": "fusion_size"},
    "hierarchy": {"level": "hierarchy"},
    "indices": {"from": "from_", "buffer_bytes": "buffer", "extent_elements": "extent", "delta_elements": "delta"},
    "latency": {"level": "latency"},
    "layout": {"buffer_bytes": "buffer"},
    "loaded-latency": {"traffic_percent": "traffic", "written_percent": "written"},
    "matmul": {"product_n": "product"},
    "multicast": {"cluster_blocks": "sharing_blocks", "fetched_by": "multicast", "tile_bytes": "multicast_tile"},
    "neighbours": {"split_percent": "split", "victim_data_bytes": "victim_data"},
    "occupancy": {"resident_warps_per_multiprocessor": "resident_warps"},
    "offset": {"offset_elements": "offset", "buffer_bytes": "buffer"},
    "overlap": {"size_bytes": "size"},
    "pattern": {"extent_elements": "extent", "buffer_bytes": "buffer"},
    "peer": {"size_bytes": "size"},
    "persistence": {"hot_set_bytes": "hot_set"},
    "pitch": {"width_elements": "width", "buffer_bytes": "buffer"},
    "random": {"footprint_bytes": "random_footprint"},
    "stream": {"buffer_bytes": "buffer"},
    "stride": {"stride_elements": "stride", "buffer_bytes": "buffer"},
    "texture": {"walk": "texture_walk", "buffer_bytes": "buffer"},
    "transfer": {"size_bytes": "size", "host_memory": "transfer"},
    "transpose": {"matrix_columns": "matrix"},
    "working-set": {"footprint_bytes": "footprint", "step_bytes": "step"},
    "zero-copy": {"placement": "zero_copy", "offset_elements": "offset", "stride_elements": "stride", "buffer_bytes": "buffer"},
}
