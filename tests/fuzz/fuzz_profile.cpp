// Any text as a GPU profile: refused in one clear line, or predicted from, to times that are times, and written again.

#include <cmath>
#include <string>

#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "tests/fuzz/mutate_json.hpp"
#include "tests/fuzz/require.hpp"

namespace gpumem::fuzz {

namespace {

using Work = Operation::Work;

constexpr std::uint64_t requests = 64;  // so few that all of them are counted

access::Site site(access::Space space, access::Op op) {
  constexpr std::uint64_t stride = 3;
  access::Site site;
  site.name = "site";
  site.space = space;
  site.op = op;
  site.requests = requests;
  site.request = [](std::uint64_t k) {
    access::WarpRequest request;
    request.word_bytes = 4;
    request.active = 0xFFFFFFFF;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      request.address[lane] = (k * access::warp_lanes + lane) * stride * 4;
    }
    return request;
  };
  return site;
}

Workload kernel(access::Space space) {
  Workload workload;
  workload.kernel = "kernel";
  workload.sites = {site(space, access::Op::load), site(space, access::Op::store)};
  workload.useful_bytes_read = workload.useful_bytes_written = requests * access::warp_lanes * 4;
  workload.blocks = 512;
  workload.block_threads = 256;
  return workload;
}

Workload operations() {
  Workload workload;
  workload.clock = measure::Clock::host;
  constexpr std::uint64_t bytes = 1 << 20;
  for (const bool pageable : {false, true}) {
    workload.operations.push_back(
        {.work = Work::copy_to_device, .stage = "in", .bytes = bytes, .count = 3, .pageable = pageable});
    workload.operations.push_back({.work = Work::busy_kernel, .stage = "kernel", .stream = 1, .bytes = bytes});
    workload.operations.push_back(
        {.work = Work::copy_to_host, .stage = "out", .stream = 2, .bytes = bytes, .count = 2, .one_call = true});
    workload.operations.push_back({.work = Work::pack, .stage = "pack", .bytes = bytes, .count = 4});
    workload.operations.push_back({.work = Work::busy_host, .stage = "host", .bytes = bytes});
  }
  workload.useful_bytes_read = 4 * bytes;
  return workload;
}

void require_times(const model::Prediction& prediction) {
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  require(is_time(prediction.seconds) && prediction.seconds > 0, "a prediction is a time");
  for (const model::StageTime& stage : prediction.stages) {
    require(is_time(stage.seconds), "a stage takes a time", stage.stage);
  }
  for (const measure::StageSpan& span : prediction.timeline) {
    require(is_time(span.start_s) && span.end_s >= span.start_s, "a span has a start and an end", span.stage);
  }
}

}  // namespace

}  // namespace gpumem::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return gpumem::fuzz::mutate_json(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpumem;
  model::Profile profile;
  try {
    profile = model::parse_profile({reinterpret_cast<const char*>(data), size}, "gpu.json");
  } catch (const Error& error) {
    fuzz::require_clear(error);
    return -1;  // not worth keeping
  }
  const std::string json = model::to_json(profile);
  fuzz::require(model::to_json(model::parse_profile(json, "what was written")) == json,
                "a profile survives the way through JSON", json);
  fuzz::require_times(predict(fuzz::kernel(access::Space::global), profile));
  fuzz::require_times(predict(fuzz::kernel(access::Space::shared), profile));
  fuzz::require_times(predict(fuzz::kernel(access::Space::host), profile));
  fuzz::require_times(predict(fuzz::operations(), profile));
  return 0;
}
