// The profile that a text means, tried on a list of the GPUs that people own, shipped or not.

#include <algorithm>

#include "engine/model/profile_names.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_profile_names {

namespace {

const std::vector<ProfileName> known = {{"a10", "NVIDIA A10"},
                                        {"a100-40gb", "NVIDIA A100-SXM4-40GB"},
                                        {"a100-80gb", "NVIDIA A100-SXM4-80GB"},
                                        {"b200", "NVIDIA B200"},
                                        {"gh200", "NVIDIA GH200 480GB"},
                                        {"h100", "NVIDIA H100 80GB HBM3"},
                                        {"h100-pcie", "NVIDIA H100 PCIe"},
                                        {"h200", "NVIDIA H200"},
                                        {"h200x8", ""},
                                        {"l40s", "NVIDIA L40S"},
                                        {"rtx3090", "NVIDIA GeForce RTX 3090"},
                                        {"rtx4090", "NVIDIA GeForce RTX 4090"},
                                        {"t4", "Tesla T4"},
                                        {"v100", "Tesla V100-SXM2-16GB"}};

/// The names of those that fit, with a space between.
std::string fitting(const std::string& text, const std::vector<ProfileName>& names = known) {
  std::string all;
  for (const std::size_t place : fitting_profiles(text, names)) {
    all += (all.empty() ? "" : " ") + names[place].name + (names[place].own ? "*" : "");
  }
  return all;
}

/// Returns the part of the error between the colon and the semicolon.
std::string instead_of(const std::string& text) {
  const std::string error = none_fits(text, known);
  const std::string begin = "no GPU profile '" + text + "': ";
  REQUIRE(error.starts_with(begin));
  return error.substr(begin.size(), error.find(';') - begin.size());
}

}  // namespace

TEST_CASE("a profile is found by its name, by its GPU's, and by whole words of either", "[profile]") {
  struct Example {
    const char* text;
    const char* profile;
  };
  for (const auto& [text, profile] : {Example{"h100", "h100"},
                                      {"H100", "h100"},
                                      {"NVIDIA H100 80GB HBM3", "h100"},
                                      {"H100 80GB", "h100"},
                                      {"H100 PCIe", "h100-pcie"},
                                      {"h100_pcie", "h100-pcie"},
                                      {"NVIDIA H100 PCIe", "h100-pcie"},
                                      {"NVIDIA H200", "h200"},
                                      {"h200", "h200"},
                                      {"H200X8", "h200x8"},
                                      {"GH200", "gh200"},
                                      {"a10", "a10"},
                                      {"NVIDIA A10", "a10"},
                                      {"NVIDIA A100-SXM4-80GB", "a100-80gb"},
                                      {"A100-SXM4-80GB", "a100-80gb"},
                                      {"a100 40gb", "a100-40gb"},
                                      {"rtx 4090", "rtx4090"},
                                      {"RTX-4090", "rtx4090"},
                                      {"4090", "rtx4090"},
                                      {"GeForce RTX 3090", "rtx3090"},
                                      {"nvidia geforce rtx 3090", "rtx3090"},
                                      {"NvidiaGeForceRTX3090", "rtx3090"},
                                      {"Tesla T4", "t4"},
                                      {"T4", "t4"},
                                      {"L40S", "l40s"},
                                      {"Tesla V100", "v100"},
                                      {"A100", "a100-40gb a100-80gb"},
                                      {"a100-sxm4", "a100-40gb a100-80gb"}}) {
    INFO(text);
    CHECK(fitting(text) == profile);
  }
}

TEST_CASE("a GPU that there is no profile of is not another one whose name holds its own", "[profile]") {
  for (const char* text : {"L4", "L40", "A1", "H20", "A30", "RTX 5090", "RTX 40", "MI300X", "v200", "H200 NVL", "T",
                           "200x8", "x8", "", " ", "NVIDIA", "Tesla"}) {
    INFO(text);
    CHECK(fitting(text).empty());
  }
}

TEST_CASE("what fits several profiles is answered with their GPUs, in one line", "[profile]") {
  CHECK(
      several_fit("A100", known, fitting_profiles("A100", known)) ==
      "'A100' fits the profiles a100-40gb (NVIDIA A100-SXM4-40GB), a100-80gb (NVIDIA A100-SXM4-80GB); give the name of "
      "one");
}

TEST_CASE("what fits no profile is answered with its family or its spelling, else with all", "[profile]") {
  CHECK(instead_of("RTX 5090") ==
        "the nearest are rtx3090 (NVIDIA GeForce RTX 3090), rtx4090 (NVIDIA GeForce RTX 4090)");
  CHECK(instead_of("RTX A6000") ==
        "the nearest are rtx3090 (NVIDIA GeForce RTX 3090), rtx4090 (NVIDIA GeForce RTX 4090)");
  CHECK(instead_of("A30").starts_with("the nearest are a10 (NVIDIA A10), a100-40gb"));
  CHECK(instead_of("L4") == "the nearest is l40s (NVIDIA L40S)");
  CHECK(instead_of("v200") == "the nearest is v100 (Tesla V100-SXM2-16GB)");
  CHECK(instead_of("rxt4090") == "the nearest is rtx4090 (NVIDIA GeForce RTX 4090)");
  CHECK(instead_of("h201").starts_with("the nearest are h200 (NVIDIA H200), "));
  // One letter from a V100, and no misspelling of it.
  for (const char* text : {"P100", "MI300X", "Xe"}) CHECK(instead_of(text).starts_with("there are a10, a100-40gb, "));
  CHECK(none_fits("A30", known)
            .ends_with("; on a machine with that GPU, gpumem calibrate -o FILE makes one, which --gpu FILE reads"));
}

TEST_CASE("a user's own profile goes before a shipped one of the same GPU or name", "[profile]") {
  std::vector<ProfileName> names = {{"NVIDIA H200, calibrated", "NVIDIA H200", true},
                                    {"v100", "Tesla V100-PCIE", true}};
  std::ranges::copy(known, std::back_inserter(names));
  CHECK(fitting("NVIDIA H200", names) == "NVIDIA H200, calibrated*");
  CHECK(fitting("h200", names) == "h200");  // the shipped one's name
  CHECK(fitting("H200, calibrated", names) == "NVIDIA H200, calibrated*");
  CHECK(fitting("v100", names) == "v100*");
  CHECK(several_fit("x", names, std::vector<std::size_t>{0, 2}) ==
        "'x' fits the profiles 'NVIDIA H200, calibrated' (NVIDIA H200, your own), a10 (NVIDIA A10); give the name of "
        "one");
}

TEST_CASE("names of one kind of GPU are the same with and without its maker", "[profile]") {
  CHECK(same_gpu("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"));
  CHECK(same_gpu("GeForce RTX 3090", "NVIDIA GeForce RTX 3090"));
  CHECK_FALSE(same_gpu("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-40GB"));
  CHECK_FALSE(same_gpu("NVIDIA H200", "NVIDIA H200 NVL"));
}

TEST_CASE("the file of a GPU's own profile has its words and no character that leads elsewhere", "[profile]") {
  CHECK(gpu_file_name("NVIDIA A100-SXM4-80GB") == "a100-sxm4-80gb");
  CHECK(gpu_file_name("NVIDIA GeForce RTX 4090") == "rtx-4090");
  CHECK(gpu_file_name("../NVIDIA/\n") == "---nvidia--");
  CHECK(gpu_file_name("") == "gpu");
}

}  // namespace gpumem::model::test_profile_names
