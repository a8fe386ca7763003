// Parsing and finding GPU profiles: what is shipped is sound, and what is not says where and why in one line.

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/rate_fields.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::model::test_profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* source = "file.json";

Json shipped(std::string_view name = "h200") {
  for (const EmbeddedProfile& profile : embedded_profiles()) {
    if (profile.name == name) return Json::parse(profile.json);
  }
  throw std::runtime_error("not shipped");
}

/// The message of the usage error that `action` throws.
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::usage ? error.what() : "an error of another kind";
  }
  return "nothing thrown";
}

std::string parse_error_of(const std::string& text) {
  return error_of([&] { static_cast<void>(parse_profile(text, source)); });
}

/// Returns the error of the shipped profile after `change`.
std::string error_after(const std::function<void(Json&)>& change) {
  Json profile = shipped();
  change(profile);
  return parse_error_of(profile.dump());
}

/// Returns the error of the shipped profile with this raw text as the value of launch_s.
std::string error_with_value(const std::string& value) {
  Json profile = shipped();
  profile["rates"]["launch_s"]["value"] = "HERE";
  std::string text = profile.dump();
  const std::string placeholder = "\"HERE\"";
  return parse_error_of(text.replace(text.find(placeholder), placeholder.size(), value));
}

}  // namespace

TEST_CASE("every shipped profile is sound", "[profile]") {
  CHECK(profile_names() == std::vector<std::string>{"a10", "a100-40gb", "a100-80gb", "a40", "b200", "gh200", "h100-nvl",
                                                    "h100-pcie", "h100", "h200", "h200x8", "l4", "l40s", "rtx3090",
                                                    "rtx4090", "rtx5090", "rtx6000-ada", "t4", "v100"});
  for (const std::string& name : profile_names()) {
    INFO(name);
    const Profile profile = load_profile(name);
    CHECK(profile.name == name);
    CHECK_FALSE(profile.from_attributes);
    CHECK(profile.device.theoretical_bandwidth_bytes_per_s() > 0);
    CHECK(profile.device.shared_peak_bytes_per_s() > 0);

    // A profile takes the rates that it leaves out from the H200's profile, which has all.
    const Json file = shipped(name);
    const Json rates = (file.contains("gpu") ? shipped(file.at("gpu").get<std::string>()) : file).at("rates");
    for (const RateField& field : rate_fields()) CHECK((field.measured_only || profile.how.contains(field.name)));
    for (const auto& [rate, entry] : rates.items()) {
      CHECK(entry.at("value").get<double>() > 0);
      CHECK(entry.at("how") == profile.how.at(rate));
    }
    // Words, not a place-holder: where the number comes from.
    for (const auto& [rate, how] : profile.how) {
      INFO(rate);
      CHECK(how.size() >= 10);
      CHECK(how.find(' ') != std::string::npos);
    }
    // No rate of a real GPU is above what its pins carry, and a mix is not faster than the better of the two.
    const Rates& dram = profile.rates;
    CHECK(dram.dram.read_bytes_per_s < profile.device.theoretical_bandwidth_bytes_per_s());
    CHECK(dram.dram.write_bytes_per_s < profile.device.theoretical_bandwidth_bytes_per_s());
    CHECK(dram.dram.copy_bytes_per_s <= std::max(dram.dram.read_bytes_per_s, dram.dram.write_bytes_per_s));
    const Rates& link = profile.rates;
    if (name == "gh200") {  // NVLink-C2C, which a profile's device cannot say
      CHECK_FALSE(profile.device.link_bytes_per_s());
      continue;
    }
    const double peak = profile.device.link_bytes_per_s().value();
    CHECK(link.link.to_device_bytes_per_s < peak);
    CHECK(link.link.to_host_bytes_per_s < peak);
    CHECK(link.link.write_bytes_per_s < peak);
    CHECK(128 / (1 / link.link.load_lines_per_s + 2 / link.link.load_atoms_per_s + 4 / link.link.load_sectors_per_s) <
          peak);
    CHECK(link.link.both_ways_bytes_per_s <= link.link.to_device_bytes_per_s + link.link.to_host_bytes_per_s);
    CHECK(link.link.both_ways_bytes_per_s > link.link.to_device_bytes_per_s);
    CHECK(link.link.copy_bytes_per_s < 2 * peak);
  }
}

TEST_CASE("a profile's device is what the file says", "[profile]") {
  const Device device = load_profile("h200").device;
  CHECK(device.name == "NVIDIA H200");
  CHECK(device.compute_capability == "9.0");
  CHECK(device.multiprocessors == 132);
  CHECK(device.l2_bytes == 60U << 20U);
  CHECK(device.memory_bus_bits == 6016);
  CHECK(device.theoretical_bandwidth_bytes_per_s() == Approx(4814e9).epsilon(0.001));
  CHECK(device.pcie_generation == 5U);
  CHECK(device.pcie_width == 16U);
  CHECK_FALSE(device.uuid);
}

TEST_CASE("a profile need not know the link", "[profile]") {
  Json json = shipped();
  json["device"].erase("pcie");
  json["device"].erase("copy_engines");
  const Device device = parse_profile(json.dump(), source).device;
  CHECK_FALSE(device.pcie_generation);
  CHECK_FALSE(device.pcie_width);
  CHECK(device.copy_engines == 2);
  CHECK(load_profile("h200").device.copy_engines == 3);
}

TEST_CASE("rates that a profile leaves out are the H200's, scaled and said to be", "[profile]") {
  const Profile h200 = load_profile("h200");
  Json json = shipped();
  json["rates"] = Json::object();
  json["device"]["memory_bus_bits"] = json["device"]["memory_bus_bits"].get<unsigned>() / 2;
  json["device"]["memory_clock_hz"] = json["device"]["memory_clock_hz"].get<std::uint64_t>() / 3;
  json["device"]["multiprocessors"] = 33;
  const std::string unscaled = "the H200's; not measured";
  const std::string by_links = "the H200's, scaled by the links' theoretical bandwidths; not measured";
  struct Example {
    const char* pcie;
    double factor;
    std::string how;
  };
  for (const auto& [pcie, factor, how] :
       {Example{R"({"generation": 5, "width": 16})", 1, by_links},
        Example{R"({"generation": 4, "width": 16})", 0.5, by_links},
        Example{R"({"generation": 3, "width": 8})", 0.125, by_links}, Example{"", 1, unscaled},
        Example{R"({"generation": 9, "width": 16})", 1, unscaled}}) {
    INFO(pcie);
    json["device"].erase("pcie");
    if (*pcie != '\0') json["device"]["pcie"] = Json::parse(pcie);
    const Profile profile = parse_profile(json.dump(), source);
    CHECK(profile.from_attributes);
    CHECK(profile.how.size() == h200.how.size());
    for (const RateField& field : rate_fields()) {
      if (field.measured_only) continue;
      INFO(field.name);
      const auto is = [&](double times, const std::string& known) {
        CHECK(profile.rates[field.id] == Approx(h200.rates[field.id] * times));
        CHECK(profile.how.at(field.name) == known);
      };
      if (field.scale == Scale::memory) {
        is(1.0 / 6, "the H200's, scaled by the memory's theoretical bandwidth; not measured");
      } else if (field.scale == Scale::channels) {
        is(0.25, "the H200's, scaled by the channels of the memory; not measured");
      } else if (field.scale == Scale::chip) {
        is(0.25, "the H200's, scaled by multiprocessors x clock; not measured");
      } else if (field.scale == Scale::l2) {
        is(1, "the H200's, scaled by the size of L2 x clock; not measured");
      } else if (field.scale == Scale::clock) {
        is(1, "the H200's, scaled by the multiprocessors' clock; not measured");
      } else if (field.scale == Scale::link) {
        is(factor, how);
      } else {
        is(1, unscaled);
      }
    }
  }
  json.erase("rates");
  CHECK(parse_profile(json.dump(), source).from_attributes);
  CHECK(parse_profile(json.dump(), source).rates.launch.fixed_s == h200.rates.launch.fixed_s);

  // One that is there stays, and is held to the same rules.
  json["rates"]["host_wait_s"] = {{"value", 1e-6}, {"how", "measured somewhere"}};
  CHECK_FALSE(parse_profile(json.dump(), source).from_attributes);
  CHECK(parse_profile(json.dump(), source).rates.host.wait_s == 1e-6);
  CHECK(parse_profile(json.dump(), source).how.at("host_wait_s") == "measured somewhere");
  json["rates"]["host_wait_s"]["value"] = 0;
  CHECK(parse_error_of(json.dump()) == "file.json: /rates/host_wait_s/value: expected a number from 1e-18 to 1e+24");
}

TEST_CASE("a profile written is the profile read", "[profile]") {
  for (const std::string& name : profile_names()) {
    const Profile profile = load_profile(name);
    const Profile back = parse_profile(to_json(profile), source);
    CHECK(back.name == profile.name);
    CHECK(back.how == profile.how);
    for (const RateField& field : rate_fields()) {
      CHECK(back.rates[field.id] == Approx(profile.rates[field.id]).epsilon(1e-3));  // four digits are written
    }
    CHECK(back.device.name == profile.device.name);
    CHECK(back.device.l2_bytes == profile.device.l2_bytes);
    CHECK(back.device.threads_per_multiprocessor == profile.device.threads_per_multiprocessor);
    CHECK(back.device.pcie_generation == profile.device.pcie_generation);
    CHECK(back.device.copy_engines == profile.device.copy_engines);
  }
  Profile strange = load_profile("h200");
  strange.name = "a \"quoted\"\nname";
  strange.device.integrated = true;
  strange.device.pcie_generation.reset();
  const Profile back = parse_profile(to_json(strange), source);
  CHECK(back.name == strange.name);
  CHECK(back.device.integrated);
  CHECK_FALSE(back.device.pcie_generation);
}

TEST_CASE("what is missing is named", "[profile]") {
  CHECK(error_after([](Json& json) { json["rates"]["launch_s"].erase("how"); }) ==
        "file.json: /rates/launch_s/how: expected this member, which is missing");
  CHECK(error_after([](Json& json) { json["device"]["pcie"].erase("width"); }) ==
        "file.json: /device/pcie/width: expected this member, which is missing");
  CHECK(parse_error_of("{}") == "file.json: /schema_version: expected this member, which is missing");
  // Any member but rates.
  const Json whole = shipped();
  for (const auto& [part, members] : whole.items()) {
    INFO(part);
    if (part == "rates") continue;
    CHECK(error_after([&](Json& json) { json.erase(part); }).starts_with("file.json: /" + part + ": expected"));
    if (!members.is_object()) continue;
    for (const auto& [name, value] : members.items()) {
      if (name == "pcie" || name == "copy_engines") continue;
      INFO(name);
      CHECK(error_after([&](Json& json) {
              json[part].erase(name);
            }).starts_with("file.json: /" + part + "/" + name + ": expected"));
    }
  }
}

TEST_CASE("what has the wrong type is named, with what was expected", "[profile]") {
  for (const char* text : {"[]", "null", "3", "\"h200\"", "true"}) {
    CHECK(parse_error_of(text) == "file.json: /: expected an object");
  }
  CHECK(error_after([](Json& json) { json["rates"] = Json::array(); }) == "file.json: /rates: expected an object");
  CHECK(error_after([](Json& json) { json["rates"]["launch_s"] = 3e-6; }) ==
        "file.json: /rates/launch_s: expected an object");
  CHECK(error_after([](Json& json) { json["rates"]["launch_s"]["how"] = 3; }) ==
        "file.json: /rates/launch_s/how: expected a text");
  CHECK(error_after([](Json& json) { json["name"] = nullptr; }) == "file.json: /name: expected a text");
  CHECK(error_after([](Json& json) { json["device"]["compute_capability"] = 9.0; }) ==
        "file.json: /device/compute_capability: expected a text");
  CHECK(error_after([](Json& json) { json["device"]["pcie"] = nullptr; }) ==
        "file.json: /device/pcie: expected an object");
}

TEST_CASE("a rate is a number greater than 0, far from what a double holds", "[profile]") {
  for (const char* value :
       {"0", "0.0", "-1", "-1e12", "\"NaN\"", "\"4.6e12\"", "null", "true", "[1]", "{}", "1e-300", "1e300"}) {
    INFO(value);
    CHECK(error_with_value(value) == "file.json: /rates/launch_s/value: expected a number from 1e-18 to 1e+24");
  }
  CHECK(error_with_value("1e-12") == "nothing thrown");
}

TEST_CASE("a constant of a formula stays where the formula holds", "[profile]") {
  const auto error_of_rate = [](const std::string& rate, double value) {
    return error_after([&](Json& json) { json["rates"][rate]["value"] = value; });
  };
  CHECK(error_of_rate("l2_written_share", 1.1) ==
        "file.json: /rates/l2_written_share/value: expected a number from 1e-06 to 1");
  CHECK(error_of_rate("miss_sharpness", 0.05) ==
        "file.json: /rates/miss_sharpness/value: expected a number from 0.1 to 10");
  CHECK(error_of_rate("integer_sum_cycles", 0) ==
        "file.json: /rates/integer_sum_cycles/value: expected a number from 0.001 to 1000000");
  for (const RateField& field : rate_fields()) {
    if (field.measured_only) continue;
    INFO(field.name);
    CHECK(error_of_rate(field.name, field.range.least) == "nothing thrown");
    CHECK(error_of_rate(field.name, field.range.most) == "nothing thrown");
    CHECK(error_of_rate(field.name, field.range.most * 1.01) != "nothing thrown");
    CHECK_FALSE((field.carried && (field.read_off || field.measured_only)));
  }
}

TEST_CASE("a count is a whole number greater than 0 that fits", "[profile]") {
  for (const Json& value :
       {Json(0), Json(-132), Json(132.0), Json("132"), Json(nullptr), Json(4294967296), Json(1e30)}) {
    INFO(value.dump());
    CHECK(error_after([&](Json& json) { json["device"]["multiprocessors"] = value; }) ==
          "file.json: /device/multiprocessors: expected a whole number from 1 to 4294967295");
  }
  CHECK(error_after([](Json& json) { json["device"]["copy_engines"] = 0; }) == "nothing thrown");  // there are such
  CHECK(error_after([](Json& json) { json["device"]["copy_engines"] = -1; }) ==
        "file.json: /device/copy_engines: expected a whole number from 0 to 4294967295");
  CHECK(error_after([](Json& json) { json["device"]["l2_bytes"] = -1; }) ==
        "file.json: /device/l2_bytes: expected a whole number from 1 to 18446744073709551615");
}

TEST_CASE("what no profile has is refused, so that a misspelling is no silence", "[profile]") {
  CHECK(error_after([](Json& json) { json["comment"] = "mine"; }) ==
        "file.json: /comment: there is no such member; there are: schema_version, name, device, rates, node");
  CHECK(error_after([](Json& json) { json["device"]["l2_byte"] = 1; }) ==
        "file.json: /device/l2_byte: there is no such member; did you mean 'l2_bytes'?");
  CHECK(error_after([](Json& json) {
          json["rates"]["warp_speed"] = {{"value", 9}, {"how", "assumed"}};
        }) == "file.json: /rates/warp_speed: there is no such member; remove it, or mend its name");
  CHECK(error_after([](Json& json) { json["rates"]["launch_s"]["unit"] = "s"; }) ==
        "file.json: /rates/launch_s/unit: there is no such member; there are: value, how");
}

TEST_CASE("a pointer is spelt as RFC 6901 has it, on one line", "[profile]") {
  CHECK(error_after([](Json& json) { json["a/b~c"] = 1; }) ==
        "file.json: /a~1b~0c: there is no such member; there are: schema_version, name, device, rates, node");
  CHECK(error_after([](Json& json) { json["two\nlines\x1b[31m"] = 1; }) ==
        "file.json: /two\\nlines\\u001b[31m: there is no such member; there are: schema_version, name, device, rates, "
        "node");
}

TEST_CASE("only schema version 1 is read", "[profile]") {
  CHECK(error_after([](Json& json) { json["schema_version"] = 2; }) == "file.json: /schema_version: expected 1");
  CHECK(error_after([](Json& json) {
          json["schema_version"] = "1";
        }).starts_with("file.json: /schema_version: expected"));
}

TEST_CASE("text that is not JSON is no profile", "[profile]") {
  CHECK(parse_error_of("{\n  \"name\": oops\n}") == "file.json: not valid JSON at line 2, column 11");
  CHECK(error_with_value("1e999") == "file.json: /rates/launch_s/value: expected a number that fits a double");
  // Too small for one is 0.
  CHECK(error_with_value("1e-999") == "file.json: /rates/launch_s/value: expected a number from 1e-18 to 1e+24");
}

TEST_CASE("an unknown profile name is answered with the nearest, or with those there are", "[profile]") {
  CHECK(error_of([] { static_cast<void>(load_profile("h201")); }).starts_with("no GPU profile 'h201': the nearest "));
  CHECK(error_of([] { static_cast<void>(load_profile("MI300X")); }).starts_with("no GPU profile 'MI300X': there are "));
  CHECK(error_of([] { static_cast<void>(load_profile("")); }).starts_with("no GPU profile '': there are "));
}

TEST_CASE("a shipped profile is found by the GPU's name too, in any case", "[profile]") {
  for (const std::string name : {"h200", "H200", "NVIDIA H200", "nvidia_h200"}) {
    CHECK(load_profile(name).name == "h200");
    CHECK(load_profile(name).source == ProfileSource::shipped);
  }
  CHECK(load_profile("H200x8").name == "h200x8");
  CHECK(load_profile("Tesla V100").name == "v100");
}

TEST_CASE("a profile that cannot be read names its path", "[profile]") {
  for (const std::string path : {"/nowhere/gpu.json", "gpumem-no-such-file.json", "/", "/tmp", "./"}) {
    CHECK(error_of([&] { static_cast<void>(load_profile(path)); }).starts_with("cannot read '" + path + "': "));
  }
}

TEST_CASE("a profile file is found by its path and named in its errors", "[profile]") {
  CHECK(load_profile(gpumem::test::source_folder() / "configs/gpus/v100.json").name == "v100");

  const gpumem::test::TemporaryDirectory directory;
  const auto path = directory / "mine.json";
  Json json = shipped();
  json["name"] = "mine";
  gpumem::test::put(path, json.dump(2));
  CHECK(load_profile(path.string()).name == "mine");
  CHECK(load_profile(path.string()).source == ProfileSource::file);
  json["device"].erase("l2_bytes");
  gpumem::test::put(path, json.dump(2));
  CHECK(error_of([&] { static_cast<void>(load_profile(path.string())); }) ==
        path.string() + ": /device/l2_bytes: expected this member, which is missing");
}

}  // namespace gpumem::model::test_profile
