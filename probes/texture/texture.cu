// Texture: a 2-D array of 4-byte texels, walked in several orders, through textures and surfaces, whose memory keeps
// neighbours in both directions together, and through plain and read-only loads of an array that lies by rows.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/experiment.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/verify.cuh"
#include "probes/texture/walk.hpp"

namespace gpumem::texture {

/// One shape for all, so that paths are compared without trials. It saturates an H200's memory
/// (docs/method/measuring.md).
constexpr global::Tile tile{.block_threads = 256, .elements_per_thread = 4};
constexpr std::uint64_t texel_bytes = sizeof(std::uint32_t);

// The paths that a texel is read by: from its index in an array that lies by rows, or from its place. A step of a walk
// comes in two parts, and a thread's turns share the first, see Walk.
struct GlobalPath {
  const std::uint32_t* texels;
  template <class Order>
  __device__ std::uint32_t read(const Walk<Order>& walk, std::uint32_t first, std::uint32_t turn) const {
    return texels[walk(first) | walk(turn)];
  }
};
struct ReadOnlyPath {
  const std::uint32_t* texels;
  template <class Order>
  __device__ std::uint32_t read(const Walk<Order>& walk, std::uint32_t first, std::uint32_t turn) const {
    return __ldg(texels + (walk(first) | walk(turn)));
  }
};
struct Texture1DPath {
  cudaTextureObject_t texture;
  template <class Order>
  __device__ std::uint32_t read(const Walk<Order>& walk, std::uint32_t first, std::uint32_t turn) const {
    return tex1Dfetch<std::uint32_t>(texture, static_cast<int>(walk(first) | walk(turn)));
  }
};
struct Texture2DPath {
  cudaTextureObject_t texture;
  template <class Order>
  __device__ std::uint32_t read(const Walk<Order>& walk, std::uint32_t first, std::uint32_t turn) const {
    const Texel texel = walk.at(first) | walk.at(turn);
    return tex2D<std::uint32_t>(texture, static_cast<float>(texel.x) + 0.5F, static_cast<float>(texel.y) + 0.5F);
  }
};
struct SurfacePath {
  cudaSurfaceObject_t surface;
  template <class Order>
  __device__ std::uint32_t read(const Walk<Order>& walk, std::uint32_t first, std::uint32_t turn) const {
    const Texel texel = walk.at(first) | walk.at(turn);
    return surf2Dread<std::uint32_t>(surface, static_cast<int>(texel.x * texel_bytes), static_cast<int>(texel.y));
  }
};

/// Reads `count` texels, shared out as the tile says. As in probes/global/kernels.cuh nothing is stored unless
/// `checksums` is given.
template <class Path, class Order>
__global__ void __launch_bounds__(tile.block_threads)
    read_texels(Path path, std::uint32_t* checksums, std::uint32_t count, Walk<Order> walk) {
  const std::uint32_t first = blockIdx.x * static_cast<std::uint32_t>(tile.elements()) | threadIdx.x;
  std::uint32_t texel[tile.elements_per_thread];
#pragma unroll
  for (std::uint32_t k = 0; k < tile.elements_per_thread; ++k) {
    const std::uint32_t turn = k * tile.block_threads;
    texel[k] = (first | turn) < count ? path.read(walk, first, turn) : 0;
  }
  std::uint32_t checksum = 0;
#pragma unroll
  for (const std::uint32_t loaded : texel) checksum ^= loaded;
  if (checksums != nullptr) checksums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = checksum;
}

enum class ReadThrough { global, read_only, texture_1d, texture_2d, surface };

namespace axis {
constexpr Choice<Steps> walk{"walk", {"row", "column", "tile", "z-order"}};
constexpr Choice<ReadThrough> path{"path", {"global", "read-only", "texture-1d", "texture-2d", "surface"}};
}  // namespace axis

/// A case in numbers.
struct TexelRead {
  ReadThrough path;
  Steps steps;
  global::Launch launch;
  Grid grid;

  explicit TexelRead(const Case& decided)
      : path(decided[axis::path]),
        steps(decided[axis::walk]),
        launch{.op = global::Op::read,
               .word_bytes = texel_bytes,
               .count = decided[global::axis::buffer_bytes] / texel_bytes,
               .tile = tile},
        grid(Grid::of(launch.count)) {}

  [[nodiscard]] std::uint64_t extent_texels() const { return grid.width() * grid.height(); }
  [[nodiscard]] std::uint64_t extent_bytes() const { return extent_texels() * texel_bytes; }
  /// True if it reads an array that lies in the hardware's own layout, and not by rows.
  [[nodiscard]] bool from_array() const { return path == ReadThrough::texture_2d || path == ReadThrough::surface; }
  [[nodiscard]] bool through_texture_unit() const { return path == ReadThrough::texture_1d || from_array(); }

  /// Calls visit(Walk).
  template <class Visitor>
  decltype(auto) with_walk(Visitor&& visit) const {
    const auto order = first_that<RowOrder, ColumnOrder, TileOrder, ZOrder>(
        [steps = steps](auto known) { return known.steps == steps; });
    return dispatch(order, [&](auto known) { return visit(Walk<decltype(known)>{grid}); });
  }
};

/// The pointer and the objects that the paths read through.
struct Handles {
  const std::uint32_t* texels = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
};

/// Calls visit(Path).
template <class Visitor>
decltype(auto) with_path(ReadThrough path, const Handles& handles, Visitor&& visit) {
  if (path == ReadThrough::global) return visit(GlobalPath{handles.texels});
  if (path == ReadThrough::read_only) return visit(ReadOnlyPath{handles.texels});
  if (path == ReadThrough::texture_1d) return visit(Texture1DPath{handles.texture});
  if (path == ReadThrough::texture_2d) return visit(Texture2DPath{handles.texture});
  return visit(SurfacePath{handles.surface});
}

static std::uint64_t allocated_bytes(const Case& sized) {
  const TexelRead read(sized);
  return (read.from_array() ? 2 : 1) * read.extent_bytes() + read.launch.threads() * sizeof(std::uint32_t);
}

static Workload describe_texture(const Case& decided, const Device&) {
  const TexelRead read(decided);
  Workload workload;
  read.with_walk([&](auto walk) {
    with_path(read.path, {}, [&](auto path) {
      workload.kernel = measure::kernel_name<&read_texels<decltype(path), typename decltype(walk)::Order>>();
    });
    workload.sites.push_back(
        {.name = "texels",
         .space = read.through_texture_unit() ? access::Space::texture : access::Space::global,
         .op = access::Op::load,
         .word_bytes = texel_bytes,
         .instructions = tile.elements_per_thread,
         .requests = read.launch.requests(),
         .request = [launch = read.launch, walk](std::uint64_t k) { return global::request(launch, walk, k); }});
  });
  workload.useful_bytes_read = read.launch.count * texel_bytes;
  workload.allocated_bytes = allocated_bytes(decided);
  workload.blocks = read.launch.blocks();
  workload.block_threads = tile.block_threads;
  if (read.through_texture_unit()) {
    workload.unmodelled = "the model has no stage for the texture unit";
  } else if (read.steps == Steps::by_columns) {
    workload.unmodelled = "the model does not simulate columns read in tiles of a texture";
  }
  return workload;
}

struct FreeArray {
  void operator()(cudaArray_t array) const noexcept { static_cast<void>(cudaFreeArray(array)); }
};

/// A texture or surface object.
template <auto destroy>
struct OwnedObject {
  unsigned long long handle = 0;

  OwnedObject() = default;
  ~OwnedObject() {
    if (handle != 0) static_cast<void>(destroy(handle));
  }
  OwnedObject(const OwnedObject&) = delete;
  OwnedObject& operator=(const OwnedObject&) = delete;
};

class TextureExperiment final : public measure::Experiment {
 public:
  TextureExperiment(const Case& decided, measure::Session& session) : read_(decided), session_(&session) {
    source_ = session.random_source(read_.extent_texels());
    checksums_ = session.target(read_.launch.threads());
    cudaResourceDesc resource{};
    if (read_.from_array()) {
      fill_array();
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array_.get();
    } else if (read_.path == ReadThrough::texture_1d) {
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear.devPtr = const_cast<std::uint32_t*>(source_);  // which a texture only reads
      resource.res.linear.desc = cudaCreateChannelDesc<std::uint32_t>();
      resource.res.linear.sizeInBytes = read_.extent_bytes();
      require_texels_fit(resource.res.linear.desc);
    }
    if (read_.path == ReadThrough::surface) {
      measure::check(cudaCreateSurfaceObject(&surface_.handle, &resource), "make a surface");
    } else if (read_.through_texture_unit()) {
      const cudaTextureDesc as_it_is{};  // no filter, no conversion, coordinates in texels
      measure::check(cudaCreateTextureObject(&texture_.handle, &resource, &as_it_is, nullptr), "make a texture");
    }
  }

  void launch(cudaStream_t stream) override { run(nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(checksums_, read_.launch.threads() * sizeof(std::uint32_t), stream);
    run(checksums_, stream);
    return read_.with_walk(
        [&](auto walk) { return global::check_output(*session_, read_.launch, walk, checksums_, stream); });
  }

 private:
  void run(std::uint32_t* checksums, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(read_.launch.blocks());
    const auto count = static_cast<std::uint32_t>(read_.launch.count);
    read_.with_walk([&](auto walk) {
      with_path(read_.path, {source_, texture_.handle, surface_.handle}, [&](auto path) {
        read_texels<<<blocks, tile.block_threads, 0, stream>>>(path, checksums, count, walk);
      });
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  void fill_array() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<std::uint32_t>();
    cudaArray_t array = nullptr;
    measure::check(cudaMallocArray(&array, &format, read_.grid.width(), read_.grid.height(), cudaArraySurfaceLoadStore),
                   "allocate an array of texels");
    array_.reset(array);
    const std::size_t row_bytes = read_.grid.width() * texel_bytes;
    measure::check(cudaMemcpy2DToArrayAsync(array, 0, 0, source_, row_bytes, row_bytes, read_.grid.height(),
                                            cudaMemcpyDeviceToDevice, session_->stream().get()),
                   "fill the array of texels");
  }

  void require_texels_fit(const cudaChannelFormatDesc& format) const {
    int device = 0;
    std::size_t most = 0;
    measure::check(cudaGetDevice(&device), "ask for the device");
    measure::check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &format, device), "ask for the largest texture");
    if (read_.extent_texels() <= most) return;
    throw missing_capability_error("a 1-D texture holds at most " + std::to_string(most) +
                                   " texels here; pass --buffer " + std::to_string(most * texel_bytes) + " or less");
  }

  TexelRead read_;
  measure::Session* session_;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* checksums_ = nullptr;
  std::unique_ptr<cudaArray, FreeArray> array_;  // before what refers to it
  OwnedObject<cudaDestroyTextureObject> texture_;
  OwnedObject<cudaDestroySurfaceObject> surface_;
};

static void validate(const Case& chosen) {
  if (!global::has_buffer(chosen) || chosen[global::axis::buffer_bytes] % texel_bytes == 0) return;
  const std::uint64_t buffer = chosen[global::axis::buffer_bytes];
  throw usage_error("--buffer " + std::to_string(buffer) + " is not a multiple of a texel's 4 bytes; use " +
                    std::to_string(buffer / texel_bytes * texel_bytes));
}

static const char* path_words(const Outcome& outcome) {
  static constexpr std::array words = {"global memory", "the read-only path", "a 1-D texture", "a 2-D texture",
                                       "a surface"};
  return words.at(static_cast<std::size_t>(outcome.tested[axis::path]));
}

/// The cases of each walk that ran through several paths, in their order. Walks that ran through plain loads alone are
/// left out, as they say nothing of textures.
static std::vector<std::vector<Outcome>> walks_of(std::span<const Outcome> outcomes) {
  std::vector<std::vector<Outcome>> walks;
  for (const Outcome& outcome : outcomes) {
    const auto is_same = [&](const auto& walk) {
      return walk.front().tested[axis::walk] == outcome.tested[axis::walk];
    };
    auto walk = std::ranges::find_if(walks, is_same);
    if (walk == walks.end()) walk = walks.insert(walk, std::vector<Outcome>{});
    walk->push_back(outcome);
  }
  std::erase_if(walks, [](const std::vector<Outcome>& walk) {
    return walk.size() < 2 || std::ranges::all_of(walk, [](const Outcome& outcome) {
             return outcome.tested[axis::path] == ReadThrough::global ||
                    outcome.tested[axis::path] == ReadThrough::read_only;
           });
  });
  return walks;
}

/// Concludes which path suits each walk, compared with global memory if that ran, and what the wrong path costs at
/// worst.
static Conclusion conclude_texture(std::span<const Outcome> outcomes) {
  const std::vector<std::vector<Outcome>> walks = walks_of(outcomes);
  if (walks.empty()) return {};
  std::vector<Fact> facts;
  Fact plain{FactKind::as_fast_as,
             {},
             "Nothing is faster than global memory for walks by {walk}: {rate_gb_per_s}.",
             {{"walk", std::vector<std::string>{}}, {"rate_gb_per_s", std::vector<double>{}}}};
  for (const std::vector<Outcome>& walk : walks) {
    const std::string& name = walk.front().tested.name(axis::walk);
    const Outcome& best = best_of(walk);
    const Outcome* global = find_outcome(walk, axis::path, ReadThrough::global);
    const bool is_plain = global != nullptr && as_good(*global, best);
    Fact fact{FactKind::fastest,
              {},
              global == nullptr ? "Walks by {walk} are fastest through {path}: {rate_gb_per_s}."
                                : "Walks by {walk} are fastest through {path}: {rate_gb_per_s}, {gain_ratio} the rate "
                                  "of global memory.",
              {{"walk", name}, {"path", std::vector<std::string>{}}, headline_value("rate_gb_per_s", best)}};
    for (const Outcome& outcome : walk) {
      (is_plain ? plain : fact).outcomes.push_back(outcome.index);
      if (as_good(outcome, best)) fact.values[1].items.emplace_back(path_words(outcome));
    }
    if (is_plain) {
      plain.values[0].items.emplace_back(name);
      plain.values[1].items.emplace_back(global->headline);
      continue;
    }
    if (global != nullptr) fact.values.push_back(gain_value("gain_ratio", *global, best));
    facts.push_back(std::move(fact));
  }
  if (!plain.outcomes.empty()) facts.push_back(std::move(plain));
  const auto loss = [](const auto& walk) { return gain(worst_of(walk), best_of(walk)); };
  const std::vector<Outcome>& dearest = *std::ranges::max_element(walks, {}, loss);
  const Outcome& best = best_of(dearest);
  const Outcome& worst = worst_of(dearest);
  if (!better(best, worst)) return {.facts = std::move(facts)};
  facts.push_back({FactKind::costs,
                   {worst.index, best.index},
                   "The wrong path costs most by {walk}: {worst} reaches {worst_gb_per_s} where {best} reaches "
                   "{best_gb_per_s}.",
                   {{"walk", best.tested.name(axis::walk)},
                    {"worst", path_words(worst)},
                    headline_value("worst_gb_per_s", worst),
                    {"best", path_words(best)},
                    headline_value("best_gb_per_s", best)}});
  return {.facts = std::move(facts)};
}

static Probe texture_probe() {
  // A 1-D texture of more than 2^27 texels is too much for some GPUs.
  constexpr std::uint64_t largest_auto_buffer = std::uint64_t{512} << 20U;
  Probe probe;
  probe.name = "texture";
  probe.purpose = "a 2-D array walked through textures, surfaces, global memory";
  probe.family = Family::texture;
  probe.axes = {
      axis::walk({.flag = "texture-walk",
                  .purpose = "order in which neighbouring threads take texels; tiles are 16 x 16",
                  .quick = "row,column"}),
      axis::path({.flag = "path",
                  .purpose = "path to the texels; 2-D textures and surfaces have a layout of their own",
                  .value_optional = true}),
      global::axis::buffer_bytes({.flag = "buffer",
                                  .purpose = "useful bytes of the array; auto is 16 times the L2, 512 MiB at most",
                                  .defaults = "auto",
                                  .minimum = texel_bytes,
                                  .maximum = std::uint64_t{8} << 30U,
                                  .takes_auto = true})};
  probe.compared = axis::path.name;
  probe.baseline = std::string("global");
  probe.describe = describe_texture;
  probe.validate = validate;
  probe.size = [](std::span<Case> sweep, const Device& device) {
    global::size(sweep, device, allocated_bytes, largest_auto_buffer);
  };
  probe.prepare = prepared<TextureExperiment>;
  probe.conclude = conclude_texture;
  return probe;
}

GPUMEM_PROBE(texture_probe);

}  // namespace gpumem::texture
