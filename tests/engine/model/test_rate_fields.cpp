// The rates by name, in the order of profile files.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/rate_fields.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_rate_fields {

TEST_CASE("every rate of a profile reaches the model under its own name", "[profile]") {
  const auto h200 = std::ranges::find(embedded_profiles(), "h200", &EmbeddedProfile::name);
  auto json = nlohmann::ordered_json::parse(h200->json);
  // Each another value, from the least that it may have on.
  std::vector<double> expected;
  for (const RateField& field : rate_fields()) {
    expected.push_back(field.range.least * (1 + 0.01 * static_cast<double>(expected.size())));
    if (field.measured_only) json["rates"][field.name]["how"] = "measured";
    json.at("rates").at(field.name)["value"] = expected.back();
  }
  CHECK(json.at("rates").size() == rate_count);
  const Rates rates = parse_profile(json.dump(), "file.json").rates;
  std::vector<double> in_file_order;
  for (const RateField& field : rate_fields()) in_file_order.push_back(rates[field.id]);
  CHECK(in_file_order == expected);
  CHECK(rates.dram.read_bytes_per_s == expected.front());
  CHECK(rates.integer.choice_cycles == expected.back());
}

TEST_CASE("the id of a rate finds its member and its line", "[profile]") {
  Rates rates;
  rates.l2.near_share = 0.5;
  rates.queue.memory_both.growth = 0.25;
  rates.cluster.tile_step_cycles = 7;
  CHECK(rates[rate_ids.l2.near_share] == 0.5);
  CHECK(rates[rate_ids.queue.memory_both.growth] == 0.25);
  CHECK(rates[rate_ids.cluster.tile_step_cycles] == 7);
  rates[rate_ids.dram.read_bytes_per_s] = 3;
  CHECK(rates.dram.read_bytes_per_s == 3);
  CHECK(field_of(rate_ids.l2.store_collisions_per_s).name == std::string("l2_meetings_per_s"));
}

TEST_CASE("rates have names of their own and a sentence", "[profile]") {
  std::set<std::string> names;
  for (const RateField& field : rate_fields()) {
    CHECK(names.insert(field.name).second);
    CHECK(std::string_view(field.sentence).size() > 10);
    CHECK_FALSE(std::string_view(field.sentence).ends_with('.'));
    CHECK(field.range.least < field.range.most);
  }
}

}  // namespace gpumem::model::test_rate_fields
