"""The probes as functions, with their axes as keywords.

An axis that is not given has its default. It takes a value, or any collection of values: a list, a range, an array of
numpy, a column of pandas. A text may be a range as on the command line: "1..32*2", "4KiB..1MiB*4".

tests/program/documents.py makes this file of what `gpumem list` says.
"""

from __future__ import annotations

from typing import Literal, NoReturn

from .arguments import Arguments, Backend, FilePath, Names, Numbers, Texts
from .commands import Counters, Device, Share
from .commands import probed as _probed
from .report import Report


def probe(
    arguments: Arguments = (), *, in_flight: Numbers = None,
    async_copy: Names[Literal["registers", "cp-async", "bulk"]] = None, block_threads: Numbers = None,
    addresses: Numbers = None, address_per: Names[Literal["lane", "warp"]] = None,
    atomics_space: Names[Literal["global", "shared"]] = None, atomics_op: Names[Literal["red", "atom"]] = None,
    bank_stride: Numbers = None, word_bytes: Numbers = None,
    op: Names[Literal["read", "write", "copy", "atomic", "gather", "scatter", "update", "auto"]] = None,
    copies: Numbers = None, batching: Names[Literal["separate", "packed", "batched"]] = None,
    direction: Names[Literal["to-device", "to-host", "one-way", "both"]] = None, size: Numbers = None,
    run: Numbers = None, buffer: Numbers = None, cache_footprint: Numbers = None,
    cache_hint: Names[Literal["ld", "ld.ca", "ld.cg", "ld.cs", "ld.nc", "ld.na", "st", "st.cg", "st.cs", "st.wt"]] =
        None,
    cluster: Numbers = None, pull: Names[Literal["ring", "first"]] = None, pullers: Numbers = None,
    remote_stride: Numbers = None, lanes: Names[Literal["aligned", "permuted", "reversed", "subset"]] = None,
    elements_per_thread: Numbers = None, warp_addresses: Numbers = None,
    space: Names[Literal["constant", "shared", "global"]] = None, paths: Numbers = None,
    divergence: Names[Literal["lanes", "warps", "loops", "predicated", "syncwarp"]] = None, fusion_size: Numbers = None,
    fusion: Names[Literal["separate", "fused"]] = None, image: Numbers = None,
    pixels: Names[Literal["packed", "planar", "packed-vector", "planar-vector"]] = None,
    hierarchy: Names[Literal["register", "shared", "l1", "l2", "l2-shared", "memory", "host"]] = None,
    indices: Texts = None, from_: Texts = None, extent: Numbers = None, delta: Numbers = None,
    index_format: Names[Literal["detect", "npy", "u16", "u32", "u64", "i32", "i64", "u32be", "u64be", "i32be", "i64be",
        "text", "npz", "mtx"]] = None,
    index_column: Texts = None,
    latency: Names[Literal["register", "shared", "cluster", "l1", "texture", "constant", "constant-far", "local", "l2",
        "l2-far", "memory", "host"]] = None,
    order: Names[Literal["random", "paged"]] = None, kernels: Numbers = None,
    launch: Names[Literal["alone", "batched", "graph"]] = None, structure_bytes: Numbers = None,
    layout: Names[Literal["aos", "aligned", "soa", "aosoa"]] = None, fields: Names[Literal["all", "one"]] = None,
    traffic: Numbers = None, written: Numbers = None, busy_level: Names[Literal["memory", "l2"]] = None,
    array_words: Numbers = None, array: Names[Literal["local", "registers"]] = None, product: Numbers = None,
    matmul: Names[Literal["row", "column", "rows-in-shared", "tile-16", "tile-32", "outputs-2", "outputs-64", "cublas"]]
        = None,
    type: Names[Literal["float", "double"]] = None, product_m: Numbers = None, product_k: Numbers = None,
    sharing_blocks: Numbers = None, multicast: Names[Literal["each", "multicast"]] = None,
    multicast_tile: Numbers = None, split: Numbers = None, victim: Names[Literal["l2", "atomics", "link"]] = None,
    protection: Names[Literal["none", "window", "priority", "smaller-grid"]] = None, victim_data: Numbers = None,
    resident_warps: Numbers = None, occupancy_limit: Names[Literal["shared-memory", "registers", "block-size"]] = None,
    offset: Numbers = None, streams: Numbers = None, overlap: Names[Literal["staged", "pageable", "host-work"]] = None,
    kernel_percent: Numbers = None, chunks: Numbers = None, pattern: Texts = None, active: Texts = None,
    source: Numbers = None, target: Numbers = None,
    via: Names[Literal["copy-engine", "copy-engine-read", "kernel-read", "kernel-write", "staged"]] = None,
    at_once: Names[Literal["no", "yes"]] = None, hot_set: Numbers = None,
    persistence: Names[Literal["alone", "beside", "window", "evict-first"]] = None, width: Numbers = None,
    rows: Names[Literal["plain", "pitched"]] = None, walk: Names[Literal["row", "column", "tile"]] = None,
    random_footprint: Numbers = None, fma_per_word: Numbers = None,
    stream: Names[Literal["copy", "mul", "add", "triad", "dot"]] = None, stride: Numbers = None,
    texture_walk: Names[Literal["row", "column", "tile", "z-order"]] = None,
    path: Names[Literal["global", "read-only", "texture-1d", "texture-2d", "surface"]] = None,
    tile: Names[Literal["plain", "padded", "swizzled"]] = None, tile_walk: Names[Literal["columns", "rows"]] = None,
    transfer: Names[Literal["pageable", "pinned", "registered", "write-combined"]] = None, matrix: Numbers = None,
    transpose: Names[Literal["copy", "strided-write", "strided-read", "tile", "padded", "swizzled", "wide"]] = None,
    matrix_rows: Numbers = None, footprint: Numbers = None, step: Numbers = None, passes: Numbers = None,
    zero_copy: Names[Literal["mapped", "copied"]] = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Runs probes, and returns the report. The axes alone choose the probes, as on the command line.

    arguments: the names of probes, or any words of `gpumem probe`: "offset stride", "--offset 0..32"
    backend: "cuda" measures (the default), "model" predicts, "auto" measures where there is a GPU
    gpu: the profile to predict from: its name or file, or the GPU's name
    device: the GPU to measure on: its index, UUID or PCI id; "all", or several, to measure on each at once
    counters: whether the hardware counts too; "require" fails where it cannot
    ci_width: a case is repeated until its 95 % confidence interval is this narrow: 0.005 or "0.5%"
    time_budget: a case is repeated no longer than that: "2s", "500ms"
    numa: the NUMA node of the host memory of transfers
    quiet: no progress and no notices
    in_flight: bytes that each multiprocessor has on their way at once; bandwidth is that over latency (async-copy)
    async_copy: loads and stores, cp.async past the registers, or the bulk copy engine (sm_90) (async-copy)
    block_threads: threads per block (async-copy, coalesced, indices, offset, pattern, stream, stride)
    addresses: 4-byte words that all threads add to, side by side; in shared memory those of a block (atomics)
    address_per: lanes with neighbouring addresses, or all lanes of a warp with one address (atomics)
    atomics_space: memory of the words: L2 executes atomics on global memory, the multiprocessor on shared (atomics)
    atomics_op: red adds and is not waited for; atom returns the old value (atomics)
    bank_stride: distance between the words of neighbouring lanes; 0 broadcasts one word (bank)
    word_bytes: size of an element: what one thread moves with one instruction (bank, blocked, coalesced, indices,
        offset, pattern, pitch, random, stream, stride, tile, zero-copy)
    op: operation on the elements; misaligned stores cost far more than loads (bank, blocked, cluster, coalesced,
        indices, layout, offset, pattern, pitch, random, stride, tile, zero-copy)
    copies: pieces that the data lies in; more pieces are smaller ones (batching)
    batching: a call for each piece, one copy of what the host packs, or one call for all pieces (batching)
    direction: direction of the data (batching, peer, transfer)
    size: size of all pieces together (batching, overlap, peer, transfer)
    run: consecutive elements that one thread has to itself; 1 interleaves the threads (blocked)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (blocked, coalesced, indices, layout,
        offset, pattern, pitch, stream, stride, texture, zero-copy)
    cache_footprint: the array, a share of it for each multiprocessor, in whole 512 bytes (cache-hint)
    cache_hint: the operator, as PTX and CUDA's intrinsics name it: ld.cg is __ldcg (cache-hint)
    cluster: blocks of a cluster, each on a multiprocessor of its own (cluster)
    pull: each block asks the next in a ring, or all ask the first (cluster)
    pullers: blocks of the cluster that ask at once; 0: all that can (cluster)
    remote_stride: distance between the words of neighbouring lanes: the network carries whole sectors (cluster)
    lanes: order of the lanes over the warp's elements; subset leaves out every other lane (coalesced)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (coalesced, indices, offset, pattern, stream, stride)
    warp_addresses: distinct addresses among a warp's lanes; 1 is what constant memory is made for (constant)
    space: memory of the table; in global memory it is found in L1 (constant)
    paths: different paths of equal work; each lane takes one of them at a time (divergence)
    divergence: units that part: lanes, whole warps, lanes in loops of unequal length or for a predicated load, or lanes
        that __syncwarp() brings together (divergence)
    fusion_size: size of the array; a small one stays in L2 from one kernel to the next (fusion)
    fusion: a kernel for every operation, or one for all of them (fusion)
    image: side of the square image; the time of a small one is mostly that of the launch (grayscale)
    pixels: a pixel's bytes side by side or in planes of their own, by bytes or in words of 16 (grayscale)
    hierarchy: level of the data: in l2 each multiprocessor reads its own, in l2-shared all read the same; host is
        across the link (hierarchy)
    indices: elements that the accesses go to: a file (.npy, .npz, .mtx, text or words) or - for stdin, a JSON file of
        Spatter's, or its notation, also 0,4,8 (indices)
    from_: elements that a copy reads, in the same forms; --indices then says where it writes (indices)
    extent: elements of each array, which no index may go beyond; 0: as many as the indices need (indices, pattern)
    delta: elements that every repeat of Spatter's notation goes further on; 0: what it says, else 8 (indices)
    index_format: type of files whose name does not say it, be for big-endian words; detect goes by the content, and the
        report has what words were taken for (indices)
    index_column: column of a table (CSV, TSV, between blanks), by its name or number from 1, or the array of an .npz;
        all takes a file's numbers row by row (indices)
    latency: level that answers: a register, a memory of the multiprocessor, a cache that holds all of a chase, or a
        memory behind it (latency)
    order: random over everything, or paged: within 2 MiB until all of them are visited, which misses no TLB (latency,
        working-set)
    kernels: kernels launched before the host needs the last one's result (launch)
    launch: wait for each, wait for the last, or hand all over in one call as a CUDA graph (launch)
    structure_bytes: size of a structure, in fields of 4 bytes (layout)
    layout: array of structures, the same padded and aligned to vector words, an array for each field, or those in tiles
        of 32 structures (layout)
    fields: fields of its structure that a thread accesses: all, or the first alone (layout)
    traffic: traffic of the other multiprocessors at the same time, of the most they reach; 100 does not hold them back
        (loaded-latency)
    written: share of stores in the traffic (loaded-latency)
    busy_level: memory that traffic and chase go to: device memory, or data that L2 holds (loaded-latency)
    array_words: 4-byte words in each thread's array; many of them do not fit in L1, nor in registers (local)
    array: memory of the array; the compiler takes registers if it knows the indices (local)
    product: columns of B and C, and rows and depth of the product unless they are given (matmul)
    matmul: one thread per element along rows or down columns, rows or tiles in shared memory, several outputs a thread,
        or cuBLAS, of floats without tensor cores (matmul)
    type: type of the arrays' elements (matmul, roofline, stream, transpose)
    product_m: rows of A and C; 0 for as many as --product (matmul)
    product_k: columns of A and rows of B, the depth of the product; 0 for as many as --product (matmul)
    sharing_blocks: blocks of a cluster, all of which need the same tiles (multicast)
    multicast: each block has the copy engine fetch the tile, or a share of it for all (multicast)
    multicast_tile: bytes of a tile; a block has up to four of them on their way (multicast)
    split: multiprocessors of the victim, as a percentage; the neighbour has the others (neighbours)
    victim: a kernel whose data stay in L2, one of atomics, or copies over the link by a copy engine (neighbours)
    protection: nothing; a persisting window on the victim's data; the highest priority for its stream; or half the grid
        for the neighbour (neighbours)
    victim_data: bytes that the victim goes over again and again; auto is a quarter of L2 (neighbours)
    resident_warps: warps of a multiprocessor at once, each with two loads of 16 bytes in flight a lane (occupancy)
    occupancy_limit: resource that keeps other warps out (occupancy)
    offset: elements every access is shifted by from an aligned start (offset, zero-copy)
    streams: streams that share the chunks; 1 copies in, computes and copies out one after another (overlap)
    overlap: staged through pinned memory, the same calls with pageable memory, or staged while the host computes for as
        long as the kernel (overlap)
    kernel_percent: time of the kernel, as a percentage of that of copying in from pinned memory (overlap)
    chunks: pieces that several streams take in turn; fewer leave more of the first and last alone (overlap)
    pattern: element that access i of n goes to: an expression in 64-bit arithmetic, {a..b} in it for a sweep; it may
        name lane (of the warp), thread and warp (of the block, from 0 on in each) and block (of the grid); with thread,
        warp or block, auto holds 256 threads per block, with block 4 elements per thread too (pattern)
    active: expression that is not 0 for the accesses that take part (pattern)
    source: the GPU that has the data, by its CUDA index; a matrix's rows (peer)
    target: the GPU that gets the data; a matrix's columns (peer)
    via: mover of the data: the source's copy engine (-read: the target's), a kernel on the target that reads, one on
        the source that writes, or both copy engines through pinned memory of the host (peer)
    at_once: pairs one after another, or all that have no GPU in common at once, which shows what they share (peer)
    hot_set: data that is read again and again, each time after a stream of twice the L2 (persistence)
    persistence: without the stream; beside it; with a persisting window; or with a stream that leaves first
        (persistence)
    width: elements per row; a sector holds 8 of 4 bytes (pitch)
    rows: one row right behind the other, or each padded as cudaMallocPitch does (pitch)
    walk: elements that a warp accesses at once: 32 of a row, 32 of a column, or 8 of each of 4 rows (pitch)
    random_footprint: memory that the accesses are spread over, a power of two; up to the L2 they are served from there
        (random)
    fma_per_word: on each word that is read: twice as many flops over 4 or 8 bytes is the intensity (roofline)
    stream: kernel of STREAM: c = a, b = s c, c = a + b, a = b + s c, or the sum of a b (stream)
    stride: distance between the elements of neighbouring threads (stride, zero-copy)
    texture_walk: order in which neighbouring threads take texels; tiles are 16 x 16 (texture)
    path: path to the texels; 2-D textures and surfaces have a layout of their own (texture)
    tile: layout of the tile in shared memory: plain, padded to 33 words a row, or swizzled (tile)
    tile_walk: words that a warp accesses at once: a column, or a row, which has no conflicts anyway (tile)
    transfer: kind of host memory; only from page-locked memory do copy engines copy by themselves (transfer)
    matrix: columns of the matrix, and its rows unless --matrix-rows says otherwise (transpose)
    transpose: striding on one side, a tile of 32 x 32 in shared memory without and with a cure for its bank conflicts,
        or vectors in tiles of 256 bytes a row; copy does not transpose (transpose)
    matrix_rows: rows of the matrix; 0: as many as columns (transpose)
    footprint: bytes that are visited, again and again; each cache and TLB holds so many of them (working-set)
    step: distance between nodes, at random within their own; further apart than a line is, so many fit a cache as it
        has lines (working-set)
    passes: times the kernel goes over all of the data; a copy is paid once for all of them (zero-copy)
    zero_copy: place of the data: mapped host memory, or the device, with copies there and back (zero-copy)

    Raises Error, with the report of what was done if anything was.
    """
    return _probed(locals())


def async_copy(
    *, in_flight: Numbers = None, async_copy: Names[Literal["registers", "cp-async", "bulk"]] = None,
    block_threads: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Global to shared memory: which way needs the least in flight.

    in_flight: bytes that each multiprocessor has on their way at once; bandwidth is that over latency (4096, 8192,
        16384, 32768, 65536, 131072 bytes; default 4KiB..128KiB*2)
    async_copy: loads and stores, cp.async past the registers, or the bulk copy engine (sm_90) (default
        registers,cp-async,bulk)
    block_threads: threads of the one block of a multiprocessor; the bulk engine needs one of them to copy (32, 64, 128,
        256, 512, 1024 threads; default 256)

    The rest is as for probe().
    """
    return _probed(locals(), "async-copy")


def atomics(
    *, addresses: Numbers = None, address_per: Names[Literal["lane", "warp"]] = None,
    atomics_space: Names[Literal["global", "shared"]] = None, atomics_op: Names[Literal["red", "atom"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Atomic additions to few or many words: what contention costs.

    addresses: 4-byte words that all threads add to, side by side; in shared memory those of a block (1..268435456
        addresses; default 1,2..8192*4)
    address_per: lanes with neighbouring addresses, or all lanes of a warp with one address (default lane,warp)
    atomics_space: memory of the words: L2 executes atomics on global memory, the multiprocessor on shared (default
        global,shared)
    atomics_op: red adds and is not waited for; atom returns the old value (default red,atom)

    The rest is as for probe().
    """
    return _probed(locals(), "atomics")


def bank(
    *, bank_stride: Numbers = None, word_bytes: Numbers = None, op: Names[Literal["read", "write"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Strided accesses of shared memory: what bank conflicts cost.

    bank_stride: distance between the words of neighbouring lanes; 0 broadcasts one word (0..1024 words; default 0..33)
    word_bytes: size of a word: what one lane loads or stores with one instruction (4, 8, 16 bytes; default 4)
    op: operation on the words: conflicts cost loads and stores alike (default read)

    The rest is as for probe().
    """
    return _probed(locals(), "bank")


def batching(
    *, copies: Numbers = None, batching: Names[Literal["separate", "packed", "batched"]] = None,
    direction: Names[Literal["to-device", "to-host"]] = None, size: Numbers = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """Many small copies: call by call, packed first, in one call.

    copies: pieces that the data lies in; more pieces are smaller ones (1..1099511627776 copies; default 1..65536*4)
    batching: a call for each piece, one copy of what the host packs, or one call for all pieces (default
        separate,packed,batched)
    direction: direction of the data (default to-device)
    size: size of all pieces together (4..1099511627776 bytes; default 16MiB)

    The rest is as for probe().
    """
    return _probed(locals(), "batching")


def blocked(
    *, run: Numbers = None, op: Names[Literal["read", "write", "copy"]] = None, word_bytes: Numbers = None,
    buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Runs of elements for each thread against interleaved threads.

    run: consecutive elements that one thread has to itself; 1 interleaves the threads (1..64 elements; default
        1,2,3,4,8,16,32,64)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    buffer: useful bytes per array, in multiples of 128 elements; auto is 16 times the L2 (4..1099511627776 bytes;
        default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "blocked")


def cache_hint(
    *, cache_footprint: Numbers = None,
    cache_hint: Names[Literal["ld", "ld.ca", "ld.cg", "ld.cs", "ld.nc", "ld.na", "st", "st.cg", "st.cs", "st.wt"]] =
        None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Cache operators of loads and stores: what each is worth.

    cache_footprint: the array, a share of it for each multiprocessor, in whole 512 bytes (512..1099511627776 bytes;
        default 4MiB,40MiB,1GiB)
    cache_hint: the operator, as PTX and CUDA's intrinsics name it: ld.cg is __ldcg (default
        ld,ld.cg,ld.cs,ld.na,st,st.cg,st.cs,st.wt)

    The rest is as for probe().
    """
    return _probed(locals(), "cache-hint")


def cluster(
    *, cluster: Numbers = None, pull: Names[Literal["ring", "first"]] = None,
    op: Names[Literal["read", "write", "atomic"]] = None, pullers: Numbers = None, remote_stride: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Another block's shared memory: how fast, how far away.

    cluster: blocks of a cluster, each on a multiprocessor of its own (2, 4, 8, 16 blocks; default 2,4,8,16)
    pull: each block asks the next in a ring, or all ask the first (default ring,first)
    op: read words of the other block, write them, or add to them by atomics (default read)
    pullers: blocks of the cluster that ask at once; 0: all that can (0..16 blocks; default 0)
    remote_stride: distance between the words of neighbouring lanes: the network carries whole sectors (1..64 words;
        default 1)

    The rest is as for probe().
    """
    return _probed(locals(), "cluster")


def coalesced(
    *, lanes: Names[Literal["aligned", "permuted", "reversed", "subset"]] = None,
    op: Names[Literal["read", "write", "copy"]] = None, word_bytes: Numbers = None, elements_per_thread: Numbers = None,
    block_threads: Numbers = None, buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """The order of a warp's lanes within sectors: it costs nothing.

    lanes: order of the lanes over the warp's elements; subset leaves out every other lane (default
        aligned,permuted,reversed,subset)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (1, 2, 4, 8 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "coalesced")


def constant(
    *, warp_addresses: Numbers = None, space: Names[Literal["constant", "shared", "global"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """A table read at several addresses per warp, by where it lies.

    warp_addresses: distinct addresses among a warp's lanes; 1 is what constant memory is made for (1..32; default
        1..32)
    space: memory of the table; in global memory it is found in L1 (default constant,shared,global)

    The rest is as for probe().
    """
    return _probed(locals(), "constant")


def divergence(
    *, paths: Numbers = None, divergence: Names[Literal["lanes", "warps", "loops", "predicated", "syncwarp"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Lanes of a warp on different paths: what parting them costs.

    paths: different paths of equal work; each lane takes one of them at a time (1, 2, 4, 8, 16, 32 paths; default
        1..32*2)
    divergence: units that part: lanes, whole warps, lanes in loops of unequal length or for a predicated load, or lanes
        that __syncwarp() brings together (default lanes,warps,loops,predicated,syncwarp)

    The rest is as for probe().
    """
    return _probed(locals(), "divergence")


def fusion(
    *, fusion_size: Numbers = None, fusion: Names[Literal["separate", "fused"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """GeLU as a kernel for every operation, against one for all.

    fusion_size: size of the array; a small one stays in L2 from one kernel to the next (4..1099511627776 bytes; default
        1MiB..1GiB*4)
    fusion: a kernel for every operation, or one for all of them (default separate,fused)

    The rest is as for probe().
    """
    return _probed(locals(), "fusion")


def grayscale(
    *, image: Numbers = None, pixels: Names[Literal["packed", "planar", "packed-vector", "planar-vector"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """An RGB image made grey, against its speed of light.

    image: side of the square image; the time of a small one is mostly that of the launch (1..65536 pixels; default
        512..8192*2)
    pixels: a pixel's bytes side by side or in planes of their own, by bytes or in words of 16 (default
        packed,planar,packed-vector,planar-vector)

    The rest is as for probe().
    """
    return _probed(locals(), "grayscale")


def hierarchy(
    *, hierarchy: Names[Literal["register", "shared", "l1", "l2", "l2-shared", "memory", "host"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Every level of memory at its best: how large, and how fast.

    hierarchy: level of the data: in l2 each multiprocessor reads its own, in l2-shared all read the same; host is
        across the link (default register,shared,l1,l2,l2-shared,memory,host)

    The rest is as for probe().
    """
    return _probed(locals(), "hierarchy")


def indices(
    *, indices: Texts = None, from_: Texts = None, op: Names[Literal["read", "write", "copy", "auto"]] = None,
    word_bytes: Numbers = None, elements_per_thread: Numbers = None, block_threads: Numbers = None,
    buffer: Numbers = None, extent: Numbers = None, delta: Numbers = None,
    index_format: Names[Literal["detect", "npy", "u16", "u32", "u64", "i32", "i64", "u32be", "u64be", "i32be", "i64be",
        "text", "npz", "mtx"]] = None,
    index_column: Texts = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Gathers and scatters through index arrays of your own.

    indices: elements that the accesses go to: a file (.npy, .npz, .mtx, text or words) or - for stdin, a JSON file of
        Spatter's, or its notation, also 0,4,8 (files, Spatter's notation; default UNIFORM:8:1:NR UNIFORM:8:4:NR
        MS1:8:4:32 LAPLACIAN:2:1:1000)
    from_: elements that a copy reads, in the same forms; --indices then says where it writes (files, Spatter's
        notation, none; default none)
    op: operation: gather, scatter, or both; auto is that of Spatter's file, else read, with --from copy (default auto)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (1, 2, 4, 8 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array: of so many accesses; auto is all that a file has, of notation 16 times the L2
        (4..1099511627776 bytes; default auto)
    extent: elements of each array, which no index may go beyond; 0: as many as the indices need (0..1099511627776
        elements; default 0)
    delta: elements that every repeat of Spatter's notation goes further on; 0: what it says, else 8 (0..1099511627776
        elements; default 0)
    index_format: type of files whose name does not say it, be for big-endian words; detect goes by the content, and the
        report has what words were taken for (default detect)
    index_column: column of a table (CSV, TSV, between blanks), by its name or number from 1, or the array of an .npz;
        all takes a file's numbers row by row (names, numbers from 1, all; default all)

    The rest is as for probe().
    """
    return _probed(locals(), "indices")


def latency(
    *,
    latency: Names[Literal["register", "shared", "cluster", "l1", "texture", "constant", "constant-far", "local", "l2",
        "l2-far", "memory", "host"]] = None,
    order: Names[Literal["random", "paged"]] = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Time of a load that waits for the last one, by level.

    latency: level that answers: a register, a memory of the multiprocessor, a cache that holds all of a chase, or a
        memory behind it (default register,shared,cluster,l1,texture,constant,constant-far,local,l2,l2-far,memory,host)
    order: random over everything, or paged: within 2 MiB until all of them are visited, which misses no TLB (default
        random)

    The rest is as for probe().
    """
    return _probed(locals(), "latency")


def launch(
    *, kernels: Numbers = None, launch: Names[Literal["alone", "batched", "graph"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Kernels that do next to nothing: alone, queued, in a graph.

    kernels: kernels launched before the host needs the last one's result (1..65536 kernels; default 1..1024*4)
    launch: wait for each, wait for the last, or hand all over in one call as a CUDA graph (default alone,batched,graph)

    The rest is as for probe().
    """
    return _probed(locals(), "launch")


def layout(
    *, structure_bytes: Numbers = None, layout: Names[Literal["aos", "aligned", "soa", "aosoa"]] = None,
    fields: Names[Literal["all", "one"]] = None, op: Names[Literal["read", "write", "copy"]] = None,
    buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Arrays of structures against structures of arrays.

    structure_bytes: size of a structure, in fields of 4 bytes (4, 8, 12, 16, 20, 24, 28, 32 bytes; default 4..32:4)
    layout: array of structures, the same padded and aligned to vector words, an array for each field, or those in tiles
        of 32 structures (default aos,aligned,soa,aosoa)
    fields: fields of its structure that a thread accesses: all, or the first alone (default all,one)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    buffer: useful bytes per array, in whole structures; auto is 16 times the L2 (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "layout")


def loaded_latency(
    *, traffic: Numbers = None, written: Numbers = None, busy_level: Names[Literal["memory", "l2"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Time of a load while the memory is busy.

    traffic: traffic of the other multiprocessors at the same time, of the most they reach; 100 does not hold them back
        (0..100 percent; default 0,20,40,60,70,80,85,90,95,100)
    written: share of stores in the traffic (0..100 percent; default 0,50,100)
    busy_level: memory that traffic and chase go to: device memory, or data that L2 holds (default memory,l2)

    The rest is as for probe().
    """
    return _probed(locals(), "loaded-latency")


def local(
    *, array_words: Numbers = None, array: Names[Literal["local", "registers"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """A thread's own array: local memory against registers.

    array_words: 4-byte words in each thread's array; many of them do not fit in L1, nor in registers (4, 8, 16, 32, 64
        words; default 4..64*2)
    array: memory of the array; the compiler takes registers if it knows the indices (default local,registers)

    The rest is as for probe().
    """
    return _probed(locals(), "local")


def matmul(
    *, product: Numbers = None,
    matmul: Names[Literal["row", "column", "rows-in-shared", "tile-16", "tile-32", "outputs-2", "outputs-64", "cublas"]]
        = None,
    type: Names[Literal["float", "double"]] = None, product_m: Numbers = None, product_k: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Matrix product: what tiles and outputs in registers gain.

    product: columns of B and C, and rows and depth of the product unless they are given (1..65536 elements; default
        128,1024,4096)
    matmul: one thread per element along rows or down columns, rows or tiles in shared memory, several outputs a thread,
        or cuBLAS, of floats without tensor cores (default
        row,column,rows-in-shared,tile-16,tile-32,outputs-2,outputs-64,cublas)
    type: type of the matrices' elements (default float,double)
    product_m: rows of A and C; 0 for as many as --product (0..65536 elements; default 0)
    product_k: columns of A and rows of B, the depth of the product; 0 for as many as --product (0..65536 elements;
        default 0)

    The rest is as for probe().
    """
    return _probed(locals(), "matmul")


def multicast(
    *, sharing_blocks: Numbers = None, multicast: Names[Literal["each", "multicast"]] = None,
    multicast_tile: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """A tile for all blocks of a cluster: one fetch, or one each.

    sharing_blocks: blocks of a cluster, all of which need the same tiles (2, 4, 8, 16 blocks; default 2,4,8,16)
    multicast: each block has the copy engine fetch the tile, or a share of it for all (default each,multicast)
    multicast_tile: bytes of a tile; a block has up to four of them on their way (2048, 4096, 8192, 16384, 32768 bytes;
        default 16KiB)

    The rest is as for probe().
    """
    return _probed(locals(), "multicast")


def neighbours(
    *, split: Numbers = None, victim: Names[Literal["l2", "atomics", "link"]] = None,
    protection: Names[Literal["none", "window", "priority", "smaller-grid"]] = None, victim_data: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Two at once on one GPU: what a stream takes from its victim.

    split: multiprocessors of the victim, as a percentage; the neighbour has the others (1..99 percent; default
        12,25,50,75)
    victim: a kernel whose data stay in L2, one of atomics, or copies over the link by a copy engine (default
        l2,atomics,link)
    protection: nothing; a persisting window on the victim's data; the highest priority for its stream; or half the grid
        for the neighbour (default none,window,priority,smaller-grid)
    victim_data: bytes that the victim goes over again and again; auto is a quarter of L2 (512..268435456 bytes; default
        auto)

    The rest is as for probe().
    """
    return _probed(locals(), "neighbours")


def occupancy(
    *, resident_warps: Numbers = None,
    occupancy_limit: Names[Literal["shared-memory", "registers", "block-size"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """Bandwidth over resident warps: how many of them it takes.

    resident_warps: warps of a multiprocessor at once, each with two loads of 16 bytes in flight a lane (2, 4, 8, 16,
        32, 48, 64 warps; default 2..32*2,48,64)
    occupancy_limit: resource that keeps other warps out (default shared-memory,registers,block-size)

    The rest is as for probe().
    """
    return _probed(locals(), "occupancy")


def offset(
    *, offset: Numbers = None, op: Names[Literal["read", "write", "copy"]] = None, word_bytes: Numbers = None,
    elements_per_thread: Numbers = None, block_threads: Numbers = None, buffer: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Shifted access: what misalignment costs.

    offset: elements every access is shifted by from an aligned start (0..1048576 elements; default 0..32)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (1, 2, 4, 8 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "offset")


def overlap(
    *, streams: Numbers = None, overlap: Names[Literal["staged", "pageable", "host-work"]] = None,
    kernel_percent: Numbers = None, chunks: Numbers = None, size: Numbers = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """Copy in, compute, copy out: in turn, or at once over streams.

    streams: streams that share the chunks; 1 copies in, computes and copies out one after another (1..128 streams;
        default 1..16*2)
    overlap: staged through pinned memory, the same calls with pageable memory, or staged while the host computes for as
        long as the kernel (default staged,pageable,host-work)
    kernel_percent: time of the kernel, as a percentage of that of copying in from pinned memory (1..10000 percent;
        default 125)
    chunks: pieces that several streams take in turn; fewer leave more of the first and last alone (1..65536 chunks;
        default 64)
    size: bytes copied in, and as many out (4..1099511627776 bytes; default 256MiB)

    The rest is as for probe().
    """
    return _probed(locals(), "overlap")


def pattern(
    *, pattern: Texts = None, active: Texts = None, extent: Numbers = None,
    op: Names[Literal["read", "write", "copy"]] = None, word_bytes: Numbers = None, elements_per_thread: Numbers = None,
    block_threads: Numbers = None, buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Any access pattern, written as an expression.

    pattern: element that access i of n goes to: an expression in 64-bit arithmetic, {a..b} in it for a sweep; it may
        name lane (of the warp), thread and warp (of the block, from 0 on in each) and block (of the grid); with thread,
        warp or block, auto holds 256 threads per block, with block 4 elements per thread too (expressions; default i, i
        ^ 5, i % 1024 * (n / 1024) + i / 1024, i * 2654435761 % n)
    active: expression that is not 0 for the accesses that take part (expressions; default 1)
    extent: elements of each array, which no access may go beyond; 0: as many as the pattern needs (0..1099511627776
        elements; default 0)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (1, 2, 4, 8 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "pattern")


def peer(
    *, source: Numbers = None, target: Numbers = None,
    via: Names[Literal["copy-engine", "copy-engine-read", "kernel-read", "kernel-write", "staged"]] = None,
    direction: Names[Literal["one-way", "both"]] = None, at_once: Names[Literal["no", "yes"]] = None,
    size: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Copies between every pair of GPUs, and which way is fastest.

    source: the GPU that has the data, by its CUDA index; a matrix's rows (0..63; default all)
    target: the GPU that gets the data; a matrix's columns (0..63; default all)
    via: mover of the data: the source's copy engine (-read: the target's), a kernel on the target that reads, one on
        the source that writes, or both copy engines through pinned memory of the host (default
        copy-engine,kernel-read,kernel-write,staged)
    direction: one way, or as much back at the same time (default one-way,both)
    at_once: pairs one after another, or all that have no GPU in common at once, which shows what they share (default
        no)
    size: bytes of a copy, each way; a run is eight of them in a row, but for staged ones (16..1099511627776 bytes;
        default 512MiB)

    The rest is as for probe().
    """
    return _probed(locals(), "peer")


def persistence(
    *, hot_set: Numbers = None, persistence: Names[Literal["alone", "beside", "window", "evict-first"]] = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """A hot set read between parts of a stream: what keeps it near.

    hot_set: data that is read again and again, each time after a stream of twice the L2 (512..34359738368 bytes;
        default 4MiB..32MiB*2)
    persistence: without the stream; beside it; with a persisting window; or with a stream that leaves first (default
        alone,beside,window,evict-first)

    The rest is as for probe().
    """
    return _probed(locals(), "persistence")


def pitch(
    *, width: Numbers = None, rows: Names[Literal["plain", "pitched"]] = None,
    walk: Names[Literal["row", "column", "tile"]] = None, op: Names[Literal["read", "write", "copy"]] = None,
    word_bytes: Numbers = None, buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Rows of a 2-D array, padded or not: what an odd width costs.

    width: elements per row; a sector holds 8 of 4 bytes (1..16777216 elements; default 4096..4104)
    rows: one row right behind the other, or each padded as cudaMallocPitch does (default plain,pitched)
    walk: elements that a warp accesses at once: 32 of a row, 32 of a column, or 8 of each of 4 rows (default
        row,column,tile)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    buffer: useful bytes per array, in whole rows; auto is 16 times the L2 (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "pitch")


def random(
    *, random_footprint: Numbers = None, op: Names[Literal["gather", "scatter", "update"]] = None,
    word_bytes: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None,
    counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Gather, scatter, update in random places, over the footprint.

    random_footprint: memory that the accesses are spread over, a power of two; up to the L2 they are served from there
        (1024..1099511627776 bytes; default 1MiB..4GiB*4)
    op: operation on elements in random places; update reads and writes each (GUPS) (default gather,scatter,update)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 8)

    The rest is as for probe().
    """
    return _probed(locals(), "random")


def roofline(
    *, fma_per_word: Numbers = None, type: Names[Literal["float", "double"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """Multiply-adds per word: from when on arithmetic is the limit.

    fma_per_word: on each word that is read: twice as many flops over 4 or 8 bytes is the intensity (1..65536
        multiply-adds; default 1..512*2)
    type: type of the arrays' elements (default float,double)

    The rest is as for probe().
    """
    return _probed(locals(), "roofline")


def stream(
    *, stream: Names[Literal["copy", "mul", "add", "triad", "dot"]] = None,
    type: Names[Literal["float", "double"]] = None, word_bytes: Numbers = None, elements_per_thread: Numbers = None,
    block_threads: Numbers = None, buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Copy, mul, add, triad and dot: how fast whole arrays stream.

    stream: kernel of STREAM: c = a, b = s c, c = a + b, a = b + s c, or the sum of a b (default copy,mul,add,triad,dot)
    type: type of the arrays' elements (default float,double)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default auto)
    elements_per_thread: words per thread and array, a block's width apart (1, 2, 4 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "stream")


def stride(
    *, stride: Numbers = None, op: Names[Literal["read", "write", "copy"]] = None, word_bytes: Numbers = None,
    elements_per_thread: Numbers = None, block_threads: Numbers = None, buffer: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Strided access: what unused parts of sectors cost.

    stride: distance between the elements of neighbouring threads (1..65536 elements; default 1..32)
    op: operation on the elements; misaligned stores cost far more than loads (default copy)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    elements_per_thread: elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun
        (1, 2, 4, 8 elements; default auto)
    block_threads: threads per block (1..1024 threads; default auto)
    buffer: useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a share
        such as 90% is of the free memory, for all arrays of a case together (4..1099511627776 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "stride")


def texture(
    *, texture_walk: Names[Literal["row", "column", "tile", "z-order"]] = None,
    path: Names[Literal["global", "read-only", "texture-1d", "texture-2d", "surface"]] = None, buffer: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """A 2-D array walked through textures, surfaces, global memory.

    texture_walk: order in which neighbouring threads take texels; tiles are 16 x 16 (default row,column,tile,z-order)
    path: path to the texels; 2-D textures and surfaces have a layout of their own (default
        global,read-only,texture-1d,texture-2d,surface)
    buffer: useful bytes of the array; auto is 16 times the L2, 512 MiB at most (4..8589934592 bytes; default auto)

    The rest is as for probe().
    """
    return _probed(locals(), "texture")


def tile(
    *, tile: Names[Literal["plain", "padded", "swizzled"]] = None, tile_walk: Names[Literal["columns", "rows"]] = None,
    word_bytes: Numbers = None, op: Names[Literal["read", "write"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """A 32 x 32 tile read by columns: what cures bank conflicts.

    tile: layout of the tile in shared memory: plain, padded to 33 words a row, or swizzled (default
        plain,padded,swizzled)
    tile_walk: words that a warp accesses at once: a column, or a row, which has no conflicts anyway (default columns)
    word_bytes: size of a word: what one lane loads or stores with one instruction (4, 8, 16 bytes; default 4)
    op: operation on the words: conflicts cost loads and stores alike (default read)

    The rest is as for probe().
    """
    return _probed(locals(), "tile")


def transfer(
    *, size: Numbers = None, transfer: Names[Literal["pageable", "pinned", "registered", "write-combined"]] = None,
    direction: Names[Literal["to-device", "to-host", "both"]] = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """Copies between host and device, by the kind of host memory.

    size: bytes of a copy, each way; small copies show its fixed cost, large ones the link (4..1099511627776 bytes;
        default 4KiB..1GiB*4)
    transfer: kind of host memory; only from page-locked memory do copy engines copy by themselves (default
        pageable,pinned,registered,write-combined)
    direction: direction of the data; both is a copy each way at once, in two streams (default to-device,to-host,both)

    The rest is as for probe().
    """
    return _probed(locals(), "transfer")


def transpose(
    *, matrix: Numbers = None,
    transpose: Names[Literal["copy", "strided-write", "strided-read", "tile", "padded", "swizzled", "wide"]] = None,
    type: Names[Literal["float", "double"]] = None, matrix_rows: Numbers = None, backend: Backend | None = None,
    gpu: FilePath | None = None, device: Device = None, counters: Counters = None, ci_width: Share = None,
    time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False,
    **unknown: NoReturn,
) -> Report:
    """A matrix transposed: what strides cost, what a tile gains.

    matrix: columns of the matrix, and its rows unless --matrix-rows says otherwise (1..1048576 elements; default
        1024..8192*2)
    transpose: striding on one side, a tile of 32 x 32 in shared memory without and with a cure for its bank conflicts,
        or vectors in tiles of 256 bytes a row; copy does not transpose (default
        copy,strided-write,strided-read,tile,padded,swizzled,wide)
    type: type of the matrix's elements (default float,double)
    matrix_rows: rows of the matrix; 0: as many as columns (0..1048576 elements; default 0)

    The rest is as for probe().
    """
    return _probed(locals(), "transpose")


def working_set(
    *, footprint: Numbers = None, order: Names[Literal["random", "paged"]] = None, step: Numbers = None,
    backend: Backend | None = None, gpu: FilePath | None = None, device: Device = None, counters: Counters = None,
    ci_width: Share = None, time_budget: str | None = None, numa: int | Literal["gpu", "off"] | None = None,
    quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Latency, bandwidth over the footprint: what each cache holds.

    footprint: bytes that are visited, again and again; each cache and TLB holds so many of them (4096..1099511627776
        bytes; default
        8KiB..64KiB*2,96KiB..320KiB:16KiB,384KiB,512KiB,768KiB,1MiB..16MiB*2,20MiB..64MiB:4MiB,80MiB,96MiB,128MiB..64GiB*2)
    order: random over everything, or paged: within 2 MiB until all of them are visited, which misses no TLB (default
        random)
    step: distance between nodes, at random within their own; further apart than a line is, so many fit a cache as it
        has lines (32, 64, 128, 256, 512, 1024, 2048, 4096 bytes; default 32,128,256)

    The rest is as for probe().
    """
    return _probed(locals(), "working-set")


def zero_copy(
    *, passes: Numbers = None, zero_copy: Names[Literal["mapped", "copied"]] = None,
    op: Names[Literal["read", "write", "copy"]] = None, offset: Numbers = None, stride: Numbers = None,
    word_bytes: Numbers = None, buffer: Numbers = None, backend: Backend | None = None, gpu: FilePath | None = None,
    device: Device = None, counters: Counters = None, ci_width: Share = None, time_budget: str | None = None,
    numa: int | Literal["gpu", "off"] | None = None, quiet: bool = False, **unknown: NoReturn,
) -> Report:
    """Kernels on mapped host memory, against copying first.

    passes: times the kernel goes over all of the data; a copy is paid once for all of them (1..256; default 1..8*2)
    zero_copy: place of the data: mapped host memory, or the device, with copies there and back (default mapped,copied)
    op: operation on the data: reading needs it copied in, writing out, copying both (default read,write,copy)
    offset: elements every access is shifted by from an aligned start (0..1048576 elements; default 0,1)
    stride: distance between the elements of neighbouring threads; gaps are copied too (1..65536 elements; default 1,2)
    word_bytes: size of an element: what one thread moves with one instruction (4, 8, 16 bytes; default 4)
    buffer: useful bytes per array and pass (4..1099511627776 bytes; default 64MiB)

    The rest is as for probe().
    """
    return _probed(locals(), "zero-copy")
