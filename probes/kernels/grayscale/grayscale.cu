// Grayscale: an image of red, green and blue made grey, held against its speed of light: the time that memory, the
// arithmetic and the launch should take, one after another.

#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/timing.hpp"
#include "engine/model/predict.hpp"
#include "probes/experiment.hpp"
#include "probes/kernels/grayscale/grayscale.hpp"
#include "probes/kernels/grayscale/grayscale_kernels.cuh"

namespace gpumem::kernels {

/// Calls visit(the type of a channel, the layout of the pixels).
template <class Visitor>
static decltype(auto) with_kernels(const Grayscale& grayscale, Visitor&& visit) {
  const auto real_of_case =
      real_among<ElementType::uint8, ElementType::float32, ElementType::half, ElementType::bfloat16>(grayscale.type);
  return dispatch(real_of_case,
                  [&](auto real) { return grayscale.with_layout([&](auto layout) { return visit(real, layout); }); });
}

static Workload describe_grayscale(const Case& decided, const Device& device) {
  const Grayscale grayscale(decided);
  Workload workload = grayscale.useful_work();
  workload.kernel = with_kernels(grayscale, [&](auto real, auto layout) {
    using Real = typename decltype(real)::Real;
    using Layout = decltype(layout);
    return grayscale.by_words ? measure::kernel_name<&grey_by_words<Real, Layout>>()
                              : measure::kernel_name<&grey_by_pixels<Real, Layout>>();
  });
  workload.sites = grayscale.sites();
  workload.allocated_bytes = grayscale.images(device) * (grayscale.image_bytes() + grayscale.plane_bytes());
  workload.blocks = grayscale.blocks();
  workload.block_threads = Grayscale::block_threads;
  workload.cold = true;  // launches take images in turns
  return workload;
}

static __global__ void do_nothing() {}

/// The time of a launch of an empty kernel, one of many queued behind each other.
static measure::Seconds time_empty_launch(measure::Session& session) {
  constexpr unsigned launches = 50;
  constexpr unsigned runs = 11;
  const measure::Stream& stream = session.stream();
  const measure::Summary summary = measure::time_queued(stream, runs, [&] {
    for (unsigned i = 0; i < launches; ++i) do_nothing<<<1, 1, 0, stream.get()>>>();
    measure::check(cudaGetLastError(), "launch an empty kernel");
  });
  return summary.median / launches;
}

class GrayscaleExperiment final : public measure::Experiment {
 public:
  GrayscaleExperiment(const Case& decided, measure::Session& session)
      : case_(decided),
        session_(&session),
        images_(case_.images(session.device())),
        source_(reinterpret_cast<std::byte*>(
            session.target(images_ * (case_.image_bytes() + case_.plane_bytes()) / sizeof(std::uint32_t)))),
        target_(source_ + images_ * case_.image_bytes()) {
    with_kernels(case_, [&](auto real, auto) {
      using Real = typename decltype(real)::Real;
      fill_channels<<<check_blocks(), Grayscale::block_threads, 0, session.stream().get()>>>(
          reinterpret_cast<Real*>(source_), images_ * case_.image_bytes() / sizeof(Real));
    });
    measure::check(cudaGetLastError(), "launch the fill of the images");
  }

  void launch(cudaStream_t stream) override {
    launch_on(next_, stream);
    next_ = (next_ + 1) % images_;
  }

  /// Checks the first and the last image, each over two fillings: a byte that is right by chance over one is wrong over
  /// the other.
  measure::Verification verify(cudaStream_t stream) override {
    const measure::CheckResult<global::Mismatches> found(*session_);
    found.reset(stream);
    for (const std::uint64_t image : {std::uint64_t{0}, images_ - 1}) {
      for (const std::uint32_t filling : {measure::poison_byte, ~measure::poison_byte & 0xFFU}) {
        measure::check(cudaMemsetAsync(grey(image), static_cast<int>(filling), case_.plane_bytes(), stream),
                       "poison the grey image");
        launch_on(image, stream);
        with_kernels(case_, [&](auto real, auto layout) {
          using Real = typename decltype(real)::Real;
          check_grey<<<check_blocks(), Grayscale::block_threads, 0, stream>>>(
              reinterpret_cast<const Real*>(grey(image)), case_.pixels(), image * case_.image_bytes() / sizeof(Real),
              layout, found.data());
        });
      }
    }
    return found.verification(stream, "grey pixels");
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/, measure::Seconds per_launch) override {
    const double launch_s = time_empty_launch(*session_).count();
    return metrics_of(speed_of_light(case_.useful_work(), session_->device(), launch_s), per_launch.count());
  }

 private:
  [[nodiscard]] unsigned check_blocks() const { return session_->device().multiprocessors * 8; }
  [[nodiscard]] std::byte* grey(std::uint64_t image) const { return target_ + image * case_.plane_bytes(); }

  void launch_on(std::uint64_t image, cudaStream_t stream) {
    const auto grid = static_cast<unsigned>(case_.blocks());
    with_kernels(case_, [&](auto real, auto layout) {
      using Real = typename decltype(real)::Real;
      const auto* from = reinterpret_cast<const Real*>(source_ + image * case_.image_bytes());
      auto* to = reinterpret_cast<Real*>(grey(image));
      if (case_.by_words) {
        grey_by_words<<<grid, Grayscale::block_threads, 0, stream>>>(from, to, case_.groups(), layout);
      } else {
        grey_by_pixels<<<grid, Grayscale::block_threads, 0, stream>>>(from, to, case_.pixels(), layout);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  Grayscale case_;
  measure::Session* session_;
  std::uint64_t images_;
  std::byte* source_;
  std::byte* target_;
  std::uint64_t next_ = 0;
};

/// A metric of the speed of light, with its prediction. The share of the expected time has none: arithmetic is no stage
/// of the model.
static Metric light_metric(std::string name, std::string purpose, Better better) {
  const auto predict = [name](const Workload& workload, const model::Prediction& prediction,
                              const model::Profile& profile) -> std::optional<double> {
    const SpeedOfLight light = speed_of_light(workload, profile.device, profile.rates.launch.fixed_s);
    for (const auto& [metric, value] : metrics_of(light, prediction.seconds)) {
      if (metric == name) return value;
    }
    return std::nullopt;
  };
  return {.quantity = {std::move(name), std::move(purpose), better}, .predict = predict};
}

/// Says a sentence about "{side} x {side} pixels", and their type unless they are bytes.
static Fact of_pixels(Fact fact, const Outcome& outcome) {
  if (outcome.tested[axis::channel_type] == ElementType::uint8) return fact;
  const std::string pixels = "pixels";
  fact.says.insert(fact.says.find(pixels) + pixels.size(), " of {type}");
  fact.values.emplace_back("type", outcome.tested.name(axis::channel_type));
  return fact;
}

/// Compares the best layout of an image with the worst; at least two layouts.
static Fact best_layout(double side, std::span<const Outcome> layouts) {
  const Outcome& best = best_of(layouts);
  const Outcome& worst = worst_of(layouts);
  return gain_fact(worst, best, "{side} x {side} pixels are fastest as {layout}: {gain_ratio} as fast as {worst}.",
                   "The layout of {side} x {side} pixels does not matter: {worst} is as fast as {layout}.",
                   {{"side", side},
                    {"layout", best.tested.name(axis::pixels)},
                    gain_value("gain_ratio", worst, best),
                    {"worst", worst.tested.name(axis::pixels)}});
}

/// Concludes how close each image comes to its speed of light in its best layout, the largest image first.
static Conclusion conclude_grayscale(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, std::vector<Outcome>> images;  // by side
  for (const Outcome& outcome : outcomes) {
    if (outcome.seconds > 0) images[outcome.tested[axis::image]].push_back(outcome);
  }
  if (images.empty()) return {};
  const auto side = static_cast<double>(images.rbegin()->first);
  const std::vector<Outcome>& largest = images.rbegin()->second;
  Conclusion conclusion;
  if (largest.size() > 1) conclusion.facts.push_back(of_pixels(best_layout(side, largest), largest.front()));
  const Outcome& best = best_of(largest);
  const auto percent = best.metric("of_expected_percent");
  const auto memory = best.metric("memory_us");
  const auto compute = best.metric("compute_us");
  const auto launch = best.metric("launch_us");
  if (!percent || !memory || !compute || !launch) return conclusion;
  conclusion.facts.push_back(
      of_pixels({FactKind::limit,
                 {best.index},
                 "{side} x {side} pixels, {layout}, reach {light_percent} of the speed of light: memory "
                 "needs {memory_us}, arithmetic {compute_us} and the launch {launch_us} of {taken_s}.",
                 {{"side", side},
                  {"layout", best.tested.name(axis::pixels)},
                  {"light_percent", *percent},
                  {"memory_us", *memory},
                  {"compute_us", *compute},
                  {"launch_us", *launch},
                  {"taken_s", best.seconds}}},
                best));
  Fact smaller{FactKind::limit,
               {},
               "Smaller images reach these shares of the speed of light, by side: {side layout light_percent}."};
  std::vector<double> sides;
  std::vector<std::string> layouts;
  std::vector<double> percents;
  for (auto image = images.begin(); image != std::prev(images.end()); ++image) {
    const Outcome& best_of_image = best_of(image->second);
    const auto reached = best_of_image.metric("of_expected_percent");
    if (!reached) continue;
    smaller.outcomes.push_back(best_of_image.index);
    sides.push_back(static_cast<double>(image->first));
    layouts.push_back(best_of_image.tested.name(axis::pixels));
    percents.push_back(*reached);
  }
  smaller.values = {{"side", sides}, {"layout", layouts}, {"light_percent", percents}};
  if (!smaller.outcomes.empty()) conclusion.facts.push_back(std::move(smaller));
  return conclusion;
}

static Probe grayscale_probe() {
  Probe probe;
  probe.name = "grayscale";
  probe.purpose = "an RGB image made grey, against its speed of light";
  probe.family = Family::kernels;
  probe.axes = {
      axis::image({.flag = "image",
                   .unit = "pixels",
                   .purpose = "side of the square image; the time of a small one is mostly that of the launch",
                   .defaults = "512..8192*2",
                   .quick = "2048",
                   .minimum = 1,
                   .maximum = std::uint64_t{1} << 16U}),
      axis::pixels(
          {.flag = "pixels",
           .purpose = "a pixel's channels side by side or in planes of their own, one by one or in words of 16 bytes",
           .value_optional = true}),
      axis::channel_type({.flag = "type",
                          .purpose = "type of a pixel's channels; half and bfloat16 are computed with as float",
                          .defaults = "uint8",
                          .zero_follows = true})};
  probe.compared = axis::pixels.name;
  probe.baseline = std::string("packed");
  probe.metrics = {
      light_metric("memory_us", "useful bytes at the theoretical bandwidth", Better::neither),
      light_metric("compute_us", "three multiply-adds per pixel, with a shift for those of bytes", Better::neither),
      light_metric("launch_us", "a launch of an empty kernel, many queued", Better::less),
      light_metric("expected_us", "memory, arithmetic and launch, one after another", Better::neither),
      {.quantity = {"of_expected_percent", "the time expected over the time taken", Better::more}, .essential = true}};
  probe.describe = describe_grayscale;
  probe.prepare = prepared<GrayscaleExperiment>;
  probe.conclude = conclude_grayscale;
  return probe;
}

GPUMEM_PROBE(grayscale_probe);

}  // namespace gpumem::kernels
