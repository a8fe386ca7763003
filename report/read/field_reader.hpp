#pragma once
// Reads the members of a report (report/record/fields.hpp) from JSON that anybody may have written.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json_reader.hpp"
#include "report/record/fields.hpp"
#include "report/record/site_sums.hpp"

namespace gpumem::report {

/// The writer of a report, which decides the members that a record must have.
enum class WrittenBy {
  this_version,  ///< all that this version writes
  any_version    ///< those that every version wrote; later ones may be missing
};

class FieldReader {
 public:
  static constexpr bool reads = true;

  FieldReader(const JsonReader& json, WrittenBy writer) : json_(json), writer_(writer) {}

  template <class T>
  void operator()(std::string_view name, T&& member) {
    read(json_.member(name), member);
  }

  template <class T>
  void later(std::string_view name, T&& member) {
    if (writer_ == WrittenBy::this_version || json_.has(name)) read(json_.member(name), member);
  }

  template <class T>
  void if_any(std::string_view name, T& member) {
    if (json_.has(name)) read(json_.member(name), member);
  }

  static void derived(std::string_view /*name*/, std::optional<double> /*value*/) {}
  static void described(const Report& /*report*/) {}

  [[nodiscard]] bool has(std::string_view name) const { return json_.has(name); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : json_.members()) names.push_back(name);
    return names;
  }
  [[noreturn]] void refuse(std::string_view name, const std::string& expected) const {
    json_.member(name).fail(expected);
  }

 private:
  void read(const JsonReader& json, std::string& text) const { text = json.text(); }
  void read(const JsonReader& json, bool& value) const { value = json.boolean(); }
  void read(const JsonReader& json, unsigned& value) const { value = json.small_whole(); }
  void read(const JsonReader& json, std::uint64_t& value) const { value = json.whole(); }
  void read(const JsonReader& json, double& amount) const {
    const double value = json.number();
    if (value < 0 || !is_moderate(value)) {
      json.fail(fmt::format("a number that is 0 or from {} to {}", smallest_number, largest_number));
    }
    amount = value == 0 ? 0 : value;  // without the sign that zero may have
  }
  void read(const JsonReader& json, Signed<double>&& amount) const { amount.value = json.moderate_number(); }
  void read(const JsonReader& json, Signed<std::optional<double>>& amount) const {
    amount.value = json.number_or_null();
    if (amount.value) read(json, either_sign(*amount.value));
  }
  void read(const JsonReader& json, Signed<double>& amount) const { read(json, either_sign(amount.value)); }
  void read(const JsonReader& json, measure::Seconds& time) const {
    double seconds = 0;
    read(json, seconds);
    time = measure::Seconds(seconds);
  }
  void read(const JsonReader& json, Value& value) const {
    if (json.is_text()) {
      value = json.text();
    } else if (json.is_number()) {
      value = json.whole();
    } else {
      json.fail("a whole number or a text");
    }
  }
  void read(const JsonReader& json, std::vector<Parameter>& parameters) const {
    for (const auto& [name, value] : json.members()) {
      parameters.push_back({.name = name, .value = {}});
      read(value, parameters.back().value);
    }
  }
  void read(const JsonReader& json, NamedValues& values) const {
    values.clear();
    for (const auto& [name, value] : json.members()) {
      std::optional<double> number;
      Signed<std::optional<double>> either{number};
      read(value, either);
      values.emplace_back(name, number);
    }
  }
  void read(const JsonReader& json, SiteWork& site) const {
    const std::vector<JsonReader> row = json.items();
    constexpr std::size_t keys = 4;  // before the sums
    if (row.size() < keys || row.size() > keys + std::size(site_sums))
      json.fail("a row of a space, an operation, and sums");
    site.space = named_row(row[0], access::spaces).space;
    site.op = named_row(row[1], access::ops).op;
    read(row[2], site.word_bytes);
    site.past_l1 = row[3].whole(0, 1) == 1;
    for (std::size_t i = keys; i < row.size(); ++i) read(row[i], site.*site_sums[i - keys].value);
    if (site.requests < 1 || site.sectors <= 0) json.fail("sums of at least one request and sector");
  }
  /// Returns the row of a table that the text names.
  template <class Row, std::size_t size>
  static const Row& named_row(const JsonReader& json, const Row (&rows)[size]) {
    const auto* const found = std::ranges::find(rows, json.text(), &Row::name);
    if (found == std::end(rows)) json.fail("a name of this version");
    return *found;
  }
  void read(const JsonReader& json, NamedCounts& counts) const {
    for (const auto& [name, value] : json.members()) counts.emplace_back(name, value.whole());
  }
  void read(const JsonReader& json, FactValue::Item& item) const {
    if (json.is_text()) {
      item = json.text();
    } else {
      double value = 0;
      read(json, either_sign(value));
      item = value;
    }
  }
  void read(const JsonReader& json, FactItems& facts) const {
    for (const auto& [name, value] : json.members()) {
      FactValue& read_value = facts.values.emplace_back(name, 0.0);
      read_value.is_list = value.is_array();
      if (!read_value.is_list) {
        read(value, read_value.items.front());
        continue;
      }
      read_value.items.clear();
      read(value, read_value.items);
    }
  }
  void read(const JsonReader& json, FactPredictions& predictions) const {
    for (const auto& [name, value] : json.members()) {
      const auto of = std::ranges::find(predictions.values, name, &FactValue::name);
      if (of != predictions.values.end()) read(value, either_sign(of->predicted.emplace()));
    }
  }
  static void read(const JsonReader& /*json*/, FactUnits& /*units*/) {}  // which the names say
  void read(const JsonReader& json, std::vector<MetricRecord>& quantities) const {
    for (const auto& [name, value] : json.members()) {
      MetricRecord& quantity = quantities.emplace_back(MetricRecord{name, {}, {}});
      MeasuredFields both{quantity.measured, quantity.predicted};
      read(value, both);
    }
  }

  /// Reads an enumerator by its name. The names are in the order of the enumerators.
  template <class T>
  void read_name(const JsonReader& json, T& target, std::span<const std::string_view> names,
                 const char* expected) const {
    const auto found = std::ranges::find(names, json.text());
    if (found == names.end()) json.fail(expected);
    target = static_cast<T>(found - names.begin());
  }
  void read(const JsonReader& json, Status& status) const {
    read_name(json, status, status_names, "ok, skipped or failed");
  }
  void read(const JsonReader& json, Verdict& verdict) const {
    read_name(json, verdict, verdict_names, "pass, fail or skip");
  }
  void read(const JsonReader& json, PeerLink::Path& path) const {
    const auto found = std::ranges::find(PeerLink::path_names, json.text());  // a later version may know more paths
    const bool is_known = found != std::end(PeerLink::path_names) && *found != to_string(PeerLink::Path::itself);
    path = is_known ? static_cast<PeerLink::Path>(found - PeerLink::path_names) : PeerLink::Path::unknown;
  }
  void read(const JsonReader& json, Better& better) const {
    const std::string name = json.text();  // a later version may know more ways to be good
    better = name == to_string(Better::more)   ? Better::more
             : name == to_string(Better::less) ? Better::less
                                               : Better::neither;
  }

  template <class T>
  void read(const JsonReader& json, std::optional<T>& value) const {
    if (json.is_null()) {
      value.reset();
    } else {
      read(json, value.emplace());
    }
  }
  void read(const JsonReader& json, std::optional<std::string>& text) const { text = json.text_or_null(); }
  void read(const JsonReader& json, std::optional<bool>& value) const { value = json.boolean_or_null(); }
  void read(const JsonReader& json, std::optional<double>& amount) const {
    amount = json.number_or_null();
    if (amount) read(json, *amount);
  }
  template <class T>
  void read(const JsonReader& json, std::vector<T>& list) const {
    const std::vector<JsonReader> items = json.items();
    list.reserve(items.size());
    for (const JsonReader& item : items) read(item, list.emplace_back());
  }
  template <class T>
  void read(const JsonReader& json, NullIfUnknown<T>& member) const {
    if (!json.is_null()) read(json, member.value);
  }
  /// Reads anything that has fields.
  template <class T>
  void read(const JsonReader& json, T& record) const {
    FieldReader reader(json, writer_);
    fields(reader, record);
  }

  const JsonReader& json_;
  WrittenBy writer_;
};

}  // namespace gpumem::report
