#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/expected/expected.hpp"
#include "app/expected/guesses.hpp"
#include "app/run/case_records.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/source.hpp"
#include "report/record/fill.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_expected {

using namespace gpumem::app::test;

namespace {

const report::ExpectedValue& value_of(const report::ExpectedGpu& gpu, const std::string& quantity) {
  const auto found = std::ranges::find(gpu.values, quantity, &report::ExpectedValue::quantity);
  REQUIRE(found != gpu.values.end());
  return *found;
}

bool has(const report::ExpectedGpu& gpu, const std::string& quantity) {
  return std::ranges::find(gpu.values, quantity, &report::ExpectedValue::quantity) != gpu.values.end();
}

}  // namespace

TEST_CASE("expected: no rate decides a value more than the one that says how it is known") {
  const model::Profile profile = model::load_profile("h200x8");
  const report::ExpectedGpu gpu = expected_of(profile, probes());
  CHECK(gpu.values.size() == expected_quantities().size());
  std::vector<std::pair<double, std::string>> strongest(gpu.values.size());
  std::vector<double> own(gpu.values.size());
  constexpr double lower = 0.95;
  for (const model::RateField& field : model::rate_fields()) {
    if (field.carried) continue;  // a constant of the model's formulas, not of the GPU
    model::Profile other = profile;
    other.rates[field.id] *= lower;
    const report::ExpectedGpu moved = expected_of(other, probes());
    for (std::size_t i = 0; i < gpu.values.size(); ++i) {
      const double effect = std::abs(value_of(moved, gpu.values[i].quantity).value / gpu.values[i].value - 1);
      strongest[i] = std::max(strongest[i], {effect, field.name});
      if (expected_quantities()[i].rate == std::string(field.name)) own[i] = effect;
    }
  }
  for (std::size_t i = 0; i < gpu.values.size(); ++i) {
    INFO(gpu.values[i].quantity << ": " << strongest[i].second << " by " << strongest[i].first << ", own " << own[i]);
    CHECK(own[i] >= 0.95 * strongest[i].first);  // L2 takes writes as fast as memory, nearly
    CHECK(own[i] > 0.015);
  }
}

TEST_CASE("expected: a pair's command names the GPUs of the machine") {
  model::Profile profile = model::load_profile("h200x8");
  CHECK(value_of(expected_of(profile, probes()), "pair_copy_gb_per_s").command ==
        "gpumem probe --source 0 --target 1 --via copy-engine --direction one-way");
  CHECK(value_of(expected_of(profile, probes(), 5), "pair_read_gb_per_s").command ==
        "gpumem probe --source 5 --target 0 --via kernel-read --direction one-way");
  for (Device& gpu : profile.gpus) {
    for (PeerLink& link : gpu.links) link.nvlinks = 0;
  }
  CHECK_FALSE(has(expected_of(profile, probes()), "pair_copy_gb_per_s"));
}

TEST_CASE("expected: of a GPU without a profile all is from its attributes, and nothing has an interval") {
  Device device = model::load_profile("h200").device;
  device.name = "NVIDIA Unheard-of";
  const report::ExpectedGpu gpu = expected_of(model::profile_of(device), probes());
  CHECK_FALSE(gpu.profile);
  CHECK(gpu.values.size() > 10);
  for (const report::ExpectedValue& value : gpu.values) {
    CHECK(value.source == "attributes");
    CHECK(value.source_words == "from attributes");
    CHECK_FALSE(value.how.empty());
    CHECK_FALSE(value.low);
  }
}

TEST_CASE("expect command: the GPU of this machine, by its profile or without one") {
  const auto said = [](const std::vector<std::string>& arguments, std::vector<Device> gpus) {
    std::ostringstream out;
    std::ostringstream err;
    const Environment environment{.registry = probes(), .out = out, .err = err, .gpus = [&]() -> std::vector<Device> {
                                    if (gpus.empty()) throw no_gpu_error("no CUDA-capable device is detected");
                                    return gpus;
                                  }};
    CHECK(parse_command_line(arguments, {probes()}).run(environment) == 0);
    CHECK(err.str().empty());
    return out.str();
  };
  Device device = model::load_profile("h200").device;
  device.index = 0;
  CHECK(said({"expect"}, {device}) == said({"expect", "h200"}, {}));
  CHECK(said({"expect"}, {device}).find("pair read") == std::string::npos);
  std::vector<Device> node = model::load_profile("h200x8").gpus;
  for (std::size_t i = 0; i < node.size(); ++i) node[i].index = static_cast<unsigned>(i);
  CHECK(said({"expect", "--device", "3", "--format", "json"}, node).find("--source 3 --target 0") != std::string::npos);
  device.name = "NVIDIA Unheard-of";
  CHECK(said({"expect"}, {device}).find("No profile is of this kind of GPU") != std::string::npos);
}

TEST_CASE("expect command: what the user's own profile of this GPU says is no expected value") {
  const gpumem::test::TemporaryDirectory folder;
  Device device = model::load_profile("h200").device;
  device.index = 0;
  model::Profile own = model::load_profile("h200");
  own.name = "NVIDIA H200, calibrated";
  own.rates.dram.read_bytes_per_s /= 2;
  const auto said = [&](const std::string& device_name) {
    Device here = device;
    here.name = own.device.name = device_name;
    gpumem::test::put(model::own_profile_file(folder.path(), here), model::to_json(own));
    std::ostringstream out;
    std::ostringstream err;
    const auto gpus = [&] { return std::vector<Device>{here}; };
    const Environment environment{
        .registry = probes(), .out = out, .err = err, .gpus = gpus, .own_profiles = folder.path()};
    CHECK(parse_command_line({"expect"}, {probes()}).run(environment) == 0);
    return out.str();
  };
  const std::string shipped = said("NVIDIA H200");
  CHECK(shipped.find("from profile 'h200'") != std::string::npos);
  CHECK(shipped.find("4571 GB/s") != std::string::npos);
  const std::string alone = said("NVIDIA Unheard-of");
  CHECK(alone.find("your own profile 'NVIDIA H200, calibrated'") != std::string::npos);
  CHECK(alone.find("healthy GPUs") == std::string::npos);
}

TEST_CASE("expect command: without a GPU it names the command that takes one by its name") {
  std::ostringstream out;
  std::ostringstream err;
  const Environment environment{.registry = probes(), .out = out, .err = err, .gpus = []() -> std::vector<Device> {
                                  throw no_gpu_error("no CUDA-capable device is detected");
                                }};
  const std::string error = error_of(
      [&] { static_cast<void>(parse_command_line({"expect"}, {probes()}).run(environment)); }, ErrorKind::no_gpu);
  CHECK(
      error.starts_with("no CUDA-capable device is detected; for a GPU of another machine name its profile: "
                        "gpumem expect NAME, of "));
  CHECK(out.str().empty());
}

TEST_CASE("sources: read off how a profile's text begins") {
  model::Profile profile;
  profile.how = {{"a", "measured on an H200: x"},
                 {"b", "fitted to 12 cases"},
                 {"c", "the H200's, scaled by multiprocessors x clock; not measured"},
                 {"d", "assumed: as reads"},
                 {"e", "Jia et al., Dissecting the NVIDIA Volta GPU Architecture (2018): 28 cycles"},
                 {"f", "as e: no part is known to be further away"},
                 {"g", "as ever"},
                 {"h", "Ernst (NHR@FAU), gpu-benches (2024): 1500 GB/s"},
                 {"j", "of an L40: Ernst (NHR@FAU), gpu-benches (2024): 845 GB/s"},
                 {"k", "scaled from an A40: Ernst (NHR@FAU), gpu-benches (2024): 2490 GB/s; by multiprocessors"},
                 {"l", "as j: the same"},
                 {"i", "as i: itself"}};
  const std::pair<const char*, const char*> words[] = {{"a", "measured"},
                                                       {"b", "fitted"},
                                                       {"c", "scaled from the H200"},
                                                       {"d", "assumed"},
                                                       {"e", "published (Jia et al.)"},
                                                       {"f", "published (Jia et al.)"},
                                                       {"g", "assumed"},
                                                       {"h", "published (Ernst (NHR@FAU))"},
                                                       {"i", "assumed"},
                                                       {"j", "published of an L40 (Ernst (NHR@FAU))"},
                                                       {"k", "scaled from an A40 (Ernst (NHR@FAU))"},
                                                       {"l", "published of an L40 (Ernst (NHR@FAU))"},
                                                       {"unknown", "published"}};
  for (const auto& [rate, expected] : words) CHECK(model::source_words(profile, rate) == expected);
  profile.from_attributes = true;
  CHECK(model::source_words(profile, "a") == "from attributes");
}

TEST_CASE("guesses: a case is flagged where its prediction rests on what the profile assumes") {
  const model::Profile rtx3090 = model::load_profile("rtx3090");
  report::Report report;
  report.backend = "cuda";
  report.profile = "rtx3090";
  report.device = rtx3090.device;
  report::Expectation expectation;
  expectation.quantity = "measured_over_predicted";
  expectation.cases.probes = {"offset"};
  const Probe& offset = *find_probe("offset");
  for (const char* op : {"write", "read"}) {
    Case tested{.probe = &offset,
                .parameters = {{"offset_elements", std::uint64_t{0}},
                               {"op", std::string(op)},
                               {"word_bytes", std::uint64_t{4}},
                               {"elements_per_thread", std::uint64_t{4}},
                               {"block_threads", std::uint64_t{256}},
                               {"buffer_bytes", std::uint64_t{1} << 28U}}};
    report.results.push_back(report::record_of(tested, describe(tested, rtx3090.device)));
    report.results.back().headline.measured = 700;
  }
  const auto flags = [&](const report::Expectation& held) {
    report::Report copy = report;
    flag_guesses(copy, std::span(&held, 1), probes());
    flag_guesses(copy, std::span(&held, 1), probes());  // a second time changes nothing
    return std::pair(copy.results[0].flags, copy.results[1].flags);
  };
  const std::vector<std::string> guessed = {"predicted_from_guesses"};
  CHECK(flags(expectation) == std::pair(guessed, std::vector<std::string>{}));  // writes are scaled, reads published
  report::Expectation another = expectation;
  another.quantity = "fraction_of_peak";
  CHECK(flags(another).first.empty());
  report.profile = "somebody's own";
  CHECK(flags(expectation).first.empty());
  report.profile.reset();
  CHECK(flags(expectation).first.empty());
}

}  // namespace gpumem::app::test_expected
