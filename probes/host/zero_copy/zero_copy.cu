// Zero-copy: a kernel that works on mapped host memory, every access crossing the link, against copying the data to the
// device (and back) and running the same kernel there. No cache of the GPU helps a second pass over mapped memory: it
// costs what the first did, while a copy is paid once.

#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/experiment.hpp"
#include "probes/global/launch.cuh"
#include "probes/global/verify.cuh"
#include "probes/host/zero_copy/zero_copy_case.hpp"

namespace gpumem::host {

/// Launches that fit in a device's queue at once, see Experiment::queued_commands().
constexpr std::uint64_t most_passes = 256;

static Workload describe_zero_copy(const Case& decided, const Device& device) {
  using Work = Operation::Work;
  const ZeroCopy job(decided);
  require_words(job.launch, device);
  const std::uint64_t arrays = job.launch.op == global::Op::copy ? 2 : 1;
  Workload workload =
      describe_launch(job.launch, job.pattern, job.mapped ? access::Space::host : access::Space::global);
  workload.useful_bytes_read *= job.passes;
  workload.useful_bytes_written *= job.passes;
  workload.host_bytes = arrays * job.extent_bytes();
  workload.allocated_bytes = (job.mapped ? 0 : arrays * job.extent_bytes()) + job.launch.checksum_bytes();

  auto& operations = workload.operations;
  if (!job.mapped && job.launch.loads()) {
    operations.push_back({.work = Work::copy_to_device, .stage = "copy in", .bytes = job.extent_bytes()});
  }
  operations.push_back({.work = Work::launch, .stage = "kernel", .count = job.passes});
  if (!job.mapped && job.launch.stores()) {
    operations.push_back({.work = Work::copy_to_host, .stage = "copy out", .bytes = job.extent_bytes()});
  }
  return workload;
}

class ZeroCopyExperiment final : public measure::Experiment {
 public:
  ZeroCopyExperiment(const Case& decided, measure::Session& session) : job_(decided), session_(&session) {
    if (job_.mapped && !session.device().maps_host_memory) {
      throw missing_capability_error("this GPU cannot map host memory (cudaDevAttrCanMapHostMemory is 0)");
    }
    // Device memory is this case's own: the session's source already holds what a copy in has to bring.
    if (job_.launch.loads()) {
      host_source_ = Buffer(Memory::pinned, job_.extent_bytes());
      fill_random(host_source_.words(), job_.extent_words());
      if (!job_.mapped) device_source_ = measure::DeviceBuffer(job_.extent_bytes());
    }
    if (job_.launch.stores()) {
      host_target_ = Buffer(Memory::pinned, job_.extent_bytes());
      if (!job_.mapped) device_target_ = measure::DeviceBuffer(job_.extent_bytes());
    } else {
      checksums_ = measure::DeviceBuffer(job_.launch.checksum_bytes());
    }
  }

  void launch(cudaStream_t stream) override { run(nullptr, stream); }

  void launch_kernel(cudaStream_t stream) override { pass(nullptr, stream); }

  [[nodiscard]] std::size_t queued_commands() const override { return job_.passes + (job_.mapped ? 0 : 2); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::check(cudaStreamSynchronize(stream), "wait for the stream");
    for (const measure::DeviceBuffer* buffer : {&device_source_, &device_target_, &checksums_}) {
      if (buffer->bytes() == 0) continue;
      measure::poison(*buffer, stream, "poison device memory");
    }
    if (job_.launch.stores()) fill_poison(host_target_.words(), job_.extent_words());
    auto* checksums = checksums_.as<std::uint32_t>();
    run(checksums, stream);
    if (!job_.launch.stores()) return check_output(*session_, job_.launch, job_.pattern, checksums, stream);
    measure::check(cudaStreamSynchronize(stream), "run the kernel");
    // The host itself compares: it sees what arrived.
    const Difference difference =
        compare_stored(host_target_.words(), job_.launch.parts(), job_.launch.count, job_.pattern);
    return {difference.mismatches, difference.first, checked_parts(job_.launch)};
  }

 private:
  /// Queues everything; with `checksums`, reads store them.
  void run(std::uint32_t* checksums, cudaStream_t stream) {
    const bool copies = !job_.mapped;
    if (copies && job_.launch.loads()) {
      copy(device_source_.data(), host_source_.data(), cudaMemcpyHostToDevice, stream);
    }
    for (std::uint64_t k = 0; k < job_.passes; ++k) pass(checksums, stream);
    if (copies && job_.launch.stores()) {
      copy(host_target_.data(), device_target_.data(), cudaMemcpyDeviceToHost, stream);
    }
  }

  void pass(std::uint32_t* checksums, cudaStream_t stream) {
    const auto* source = job_.mapped ? host_source_.device_words() : device_source_.as<std::uint32_t>();
    auto* target = job_.mapped ? host_target_.device_words() : device_target_.as<std::uint32_t>();
    launch_into(job_.launch, job_.pattern, source, job_.launch.stores() ? target : checksums, stream);
  }

  void copy(void* to, const void* from, cudaMemcpyKind kind, cudaStream_t stream) const {
    measure::check(cudaMemcpyAsync(to, from, job_.extent_bytes(), kind, stream), "copy over the link");
  }

  ZeroCopy job_;
  measure::Session* session_;
  Buffer host_source_;
  Buffer host_target_;
  measure::DeviceBuffer device_source_;
  measure::DeviceBuffer device_target_;
  measure::DeviceBuffer checksums_;
};

static std::vector<Axis> axes() {
  Axis op = global::op_axis();
  op.purpose = "operation on the data: reading needs it copied in, writing out, copying both";
  op.defaults = "read,write,copy";
  op.quick = "read";
  return {
      axis::passes({.flag = "passes",
                    .purpose = "times the kernel goes over all of the data; a copy is paid once for all of them",
                    .defaults = "1..8*2",
                    .quick = "1,4",
                    .minimum = 1,
                    .maximum = most_passes}),
      axis::mapped({.flag = "zero-copy",
                    .purpose = "place of the data: mapped host memory, or the device, with copies there and back",
                    .value_optional = true}),
      std::move(op),
      axis::offset_elements({.flag = "offset",
                             .unit = "elements",
                             .purpose = "elements every access is shifted by from an aligned start",
                             .defaults = "0,1",
                             .quick = "0",
                             .maximum = 1U << 20U}),
      axis::stride_elements({.flag = "stride",
                             .unit = "elements",
                             .purpose = "distance between the elements of neighbouring threads; gaps are copied too",
                             .defaults = "1,2",
                             .quick = "1",
                             .minimum = 1,
                             .maximum = 1U << 16U}),
      global::word_bytes_axis(),
      global::axis::buffer_bytes(
          {.flag = "buffer", .purpose = "useful bytes per array and pass", .defaults = "64MiB", .minimum = 1})};
}

static Probe zero_copy_probe() {
  Probe probe;
  probe.name = "zero-copy";
  probe.purpose = "kernels on mapped host memory, against copying first";
  probe.family = Family::host;
  probe.axes = axes();
  probe.compared = axis::mapped.name;
  probe.baseline = std::string("mapped");
  probe.headline = bandwidth(link_peak);
  probe.concluded = {
      {"copying_pays_from_passes", "fewest passes for which copying to the device is faster", Better::neither}};
  probe.describe = describe_zero_copy;
  probe.validate = global::validate;
  probe.prepare = prepared<ZeroCopyExperiment>;
  probe.conclude = conclude_zero_copy;
  return probe;
}

GPUMEM_PROBE(zero_copy_probe);

}  // namespace gpumem::host
