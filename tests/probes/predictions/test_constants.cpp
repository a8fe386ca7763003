// The constants of the model's formulas (model::RateField::carried), held to what they were told from: how far
// predictions of some cases of one H200 are off is pinned, and each constant has to matter to one of these pins.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/predict.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/subjects/chase.hpp"
#include "program/price/pricing.hpp"
#include "report/read/read_report.hpp"
#include "report/record/cases.hpp"
#include "tests/catch.hpp"
#include "tests/program/raw_writer.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::model::test_constants {

namespace {

const Profile& h200() {
  static const Profile profile = load_profile("h200");
  return profile;
}

report::Report reference(const std::string& name) {
  std::istringstream none;
  return report::read_report_file(gpumem::test::source_folder() / "configs/reference/h200" / (name + ".json"), none);
}

/// A measured case, with what of its prediction takes long. The constants but one come after that.
class KnownCase {
 public:
  [[nodiscard]] static bool suits(const report::Record& record) { return record.ran() && record.headline.predicted; }

  explicit KnownCase(const report::Record& record) {
    const Probe* probe = find_probe(record.probe);
    REQUIRE(probe != nullptr);
    const auto tested = report::case_of(record, *probe);
    REQUIRE(tested);
    workload_ = probe->describe(*tested, h200().device);
    measured_ = workload_.about<Chase>() ? record.headline.measured.value() : record.time->summary.median.count();
    sites_ = summarise(workload_);
    traffic_ = needed_traffic(workload_, sites_, h200());
  }

  /// The logarithm of predicted over measured: of the cycles of a chase's step, else of the time.
  [[nodiscard]] double error(const Profile& profile) const { return error(profile, traffic_); }
  /// With the caches simulated again.
  [[nodiscard]] double error_anew(const Profile& profile) const {
    return error(profile, needed_traffic(workload_, sites_, profile));
  }

 private:
  [[nodiscard]] double error(const Profile& profile, const std::optional<Traffic>& traffic) const {
    const double predicted = workload_.about<Chase>() ? step_cycles(*workload_.about<Chase>(), profile)
                                                      : predict_with(traffic, sites_, workload_, profile).seconds;
    return std::log(predicted / measured_);
  }

  Workload workload_;
  std::vector<access::SiteSummary> sites_;
  std::optional<Traffic> traffic_;
  double measured_ = 0;
};

/// Atomics of whole warps to a word each, as `atomics` has them and a run of the program would show them to the model.
class KnownAtomics {
 public:
  [[nodiscard]] static bool suits(const report::Record& record) {
    const auto is = [&](const char* name, const char* value) {
      return report::find_parameter(record, name)->value == Value(std::string(value));
    };
    return is("address_per", "warp") && is("space", "global") && is("atomic_op", "red");
  }

  explicit KnownAtomics(const report::Record& record) : measured_(record.headline.measured.value()) {
    inject::Site site;
    site.op = inject::RawOp::atomic;
    site.word_bytes = 4;
    site.requests = requests;
    site.active_lanes = 32 * site.requests;
    site.useful_bytes = 4 * site.requests;
    site.sectors = site.least_sectors = site.l2_sectors = site.lines = site.l2_requests = site.requests;
    const auto addresses = std::get<std::uint64_t>(report::find_parameter(record, "addresses")->value);
    site.memory_sectors = (addresses + 7) / 8;
    site.used_words = addresses;
    launch_ = {.sites = {site}, .blocks = requests / 8, .block_threads = 256};
  }

  [[nodiscard]] double error(const Profile& profile) const {
    // The probe launches in a queue.
    const double between_s = profile.rates.launch.cached_fixed_s - profile.rates.launch.kernel_s;
    const double seconds = program::Pricing(launch_, profile).as_it_is().seconds + between_s;
    return std::log(32e-9 * static_cast<double>(requests) / seconds / measured_);
  }

 private:
  static constexpr std::uint64_t requests = std::uint64_t{1} << 20U;
  program::LaunchSums launch_;
  double measured_;  ///< thousand million a second
};

/// Float atomics of warps whose lanes go to a few words of a sector, 1 to 16 lanes to each, as measured on an H100.
struct KnownFloatAtomics {
  unsigned lanes_per_word;
  double measured_ns;  ///< a request

  [[nodiscard]] double error(const Profile& profile) const {
    constexpr std::uint64_t requests = std::uint64_t{1} << 16U;
    const unsigned words = 32 / lanes_per_word;
    inject::Site site;
    site.op = inject::RawOp::atomic;
    site.word_bytes = 4;
    site.requests = requests;
    site.active_lanes = 32 * requests;
    site.useful_bytes = std::uint64_t{4} * words * requests;
    site.lines = site.l2_requests = requests;
    site.sectors = site.least_sectors = site.l2_sectors = (words + 7) / 8 * requests;
    site.memory_sectors = (words + 7) / 8;
    site.used_words = words;
    site.shown = 4;
    for (std::uint32_t k = 0; k < site.shown; ++k) {
      site.request[k].active = ~0U;
      for (unsigned lane = 0; lane < 32; ++lane) site.request[k].address[lane] = 4096 + lane / lanes_per_word * 4;
    }
    const program::LaunchSums launch{.sites = {site}, .blocks = requests / 8, .block_threads = 256, .code = code()};
    return std::log(program::Pricing(launch, profile).as_it_is().seconds / (measured_ns * 1e-9 * requests));
  }

 private:
  static std::string_view code() {  // RED.E.ADD.F32
    static const std::string instruction =
        test::bytes_of(std::uint64_t{0x79a6}) + test::bytes_of(std::uint64_t{0x3f} << 46U);
    return instruction;
  }
};

/// The figures of some cases' errors that the tests pin.
struct Figures {
  double mean = 0;
  double root_mean_square = 0;
  double median = 0;  ///< without their signs, as the next
  double p95 = 0;
};

Figures figures_of(const std::vector<double>& errors) {
  Figures figures;
  std::vector<double> off;
  for (const double error : errors) {
    figures.mean += error / static_cast<double>(errors.size());
    figures.root_mean_square += error * error / static_cast<double>(errors.size());
    off.push_back(std::abs(error));
  }
  figures.root_mean_square = std::sqrt(figures.root_mean_square);
  std::ranges::sort(off);
  figures.median = off[off.size() / 2];
  figures.p95 = off[(95 * off.size() + 99) / 100 - 1];
  return figures;
}

/// To what another compiler or library of mathematics may change.
bool same(const Figures& some, const Figures& others) {
  constexpr double tolerance = 1e-6;
  return std::abs(some.mean - others.mean) < tolerance &&
         std::abs(some.root_mean_square - others.root_mean_square) < tolerance &&
         std::abs(some.median - others.median) < tolerance && std::abs(some.p95 - others.p95) < tolerance;
}

std::string in_words(const Figures& figures) {
  std::ostringstream words;
  words.precision(9);
  words << "{" << figures.mean << ", " << figures.root_mean_square << ", " << figures.median << ", " << figures.p95
        << "}";
  return words.str();
}

/// Cases of a reference report, at these places of it or all.
template <class Case>
std::vector<Case> cases_of(const std::string& name, const std::vector<std::size_t>& places = {}) {
  std::vector<Case> cases;
  const report::Report report = reference(name);
  for (std::size_t place = 0; place < report.results.size(); ++place) {
    const bool chosen = places.empty() || std::ranges::find(places, place) != places.end();
    if (chosen && Case::suits(report.results[place])) cases.emplace_back(report.results[place]);
  }
  return cases;
}

using Errors = std::function<std::vector<double>(const Profile& profile)>;

template <class Case>
Errors errors_of(std::vector<Case> cases) {
  return [cases = std::move(cases)](const Profile& profile) {
    std::vector<double> errors;
    for (const Case& known : cases) errors.push_back(known.error(profile));
    return errors;
  };
}

struct Pin {
  const char* what;
  Errors errors;
  Figures figures;  ///< with the constants as they are
};

/// The patterns drawn at random that are counted and simulated fast. All 192 would take minutes.
const std::vector<std::size_t> fitted = {6, 8, 11, 17, 18, 20, 21, 28, 31, 40, 60, 66, 80, 92};
const std::vector<std::size_t> held_out = {31, 48, 61, 63, 67, 71, 72, 82};

std::vector<Pin> pins() {
  return {
      {"patterns to fit to",
       errors_of(cases_of<KnownCase>("patterns-fit", fitted)),
       {-0.00713089532, 0.0824517236, 0.0475581436, 0.174009358}},
      {"patterns held out",
       errors_of(cases_of<KnownCase>("patterns-held-out", held_out)),
       {0.0196186542, 0.0802018416, 0.0682541321, 0.128989032}},
      {"offsets", errors_of(cases_of<KnownCase>("offset")), {-0.0226090675, 0.0486179126, 0.0283723255, 0.0781980641}},
      {"matrix products",
       errors_of(cases_of<KnownCase>("matmul")),
       {0.00802941825, 0.062648442, 0.0339200666, 0.118134258}},
      {"chases", errors_of(cases_of<KnownCase>("working-set")), {-0.0276131295, 0.0740017275, 0.016546457, 0.17208357}},
      {"atomics", errors_of(cases_of<KnownAtomics>("atomics")), {0.124321108, 0.271851381, 0.0534132339, 0.734310827}},
      {"atomics of floats",
       errors_of(std::vector<KnownFloatAtomics>{{1, 2.47}, {2, 3.52}, {4, 7.04}, {8, 14.07}, {16, 28.1}, {32, 56.3}}),
       {0.0302202349, 0.0736141246, 0.00104957316, 0.180308693}}};
}

/// The rate of dividing one value by another. No case depends on it, because no pattern that was drawn does so.
const std::string of_no_case = "integer_division_cycles";

Profile moved(const RateField& field, double value) {
  Profile profile = h200();
  profile.rates[field.id] = value;
  return profile;
}

}  // namespace

TEST_CASE("reference cases are predicted as well as ever, and depend on every constant", "[constants]") {
  const std::vector<Pin> all = pins();
  for (const Pin& pin : all) {
    const Figures found = figures_of(pin.errors(h200()));
    INFO(pin.what << ": " << in_words(found));
    CHECK(same(found, pin.figures));
  }
  CHECK(h200().rates.integer.division_cycles == 105);  // of_no_case
  for (const RateField& field : rate_fields()) {
    if (!field.carried || field.id == rate_ids.l2.written_share) continue;  // that is a constant of the simulation
    for (const double factor : {0.9, 1.1}) {
      INFO(field.name << " times " << factor);
      const Profile profile = moved(field, factor * h200().rates[field.id]);
      const bool noticed =
          std::ranges::any_of(all, [&](const Pin& pin) { return !same(figures_of(pin.errors(profile)), pin.figures); });
      CHECK(noticed == (field.name != of_no_case));
    }
    for (const double value : {field.range.least, field.range.most}) {
      INFO(field.name << " of " << value);
      const Profile profile = moved(field, value);
      for (const Pin& pin : all) {
        CHECK(std::ranges::all_of(pin.errors(profile), [](double error) { return std::isfinite(error); }));
      }
    }
  }
}

TEST_CASE("what is written back of short runs depends on how many lines may wait for it", "[constants]") {
  const KnownCase rows = cases_of<KnownCase>("patterns-fit", {40}).front();
  const auto error = [&](double factor) {
    Profile profile = h200();
    profile.rates.l2.written_share *= factor;
    return rows.error_anew(profile);
  };
  const auto pinned = Approx(-0.174009335).margin(1e-6).epsilon(0);
  CHECK(error(1) == pinned);
  CHECK(error(0.9) != pinned);
  CHECK(error(1.1) != pinned);
}

}  // namespace gpumem::model::test_constants
