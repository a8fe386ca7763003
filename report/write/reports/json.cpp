// The JSON report, version 1. Its names are a contract: add, never rename.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "report/record/fields.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/record/site_sums.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::number;
using json_values::parameter;
using json_values::parameters;

/// Writes the members of a report (report/record/fields.hpp).
class FieldWriter {
 public:
  static constexpr bool reads = false;

  template <class T>
  void operator()(std::string_view name, T&& member) {
    json_[std::string(name)] = to_json(member);
  }
  template <class T>
  void later(std::string_view name, T&& member) {
    (*this)(name, member);
  }
  template <class T>
  void if_any(std::string_view name, const T& member) {
    if (!is_empty(member)) json_[std::string(name)] = to_json(member);
  }
  void derived(std::string_view name, std::optional<double> value) { json_[std::string(name)] = number(value); }
  void described(const Report& report);
  static bool has(std::string_view /*name*/) { return true; }
  static void refuse(std::string_view /*name*/, const char* /*expected*/) {}

  /// Anything that has fields. They are only looked at.
  template <class T>
  [[nodiscard]] static Json of(const T& record) {
    FieldWriter writer;
    fields(writer, const_cast<T&>(record));
    return std::move(writer.json_);
  }

 private:
  static bool is_empty(const auto& value) {
    if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else if constexpr (requires { value.has_value(); }) {
      return !value.has_value();
    } else {
      return value == 0;
    }
  }
  static Json to_json(const std::string& text) { return text; }
  static Json to_json(bool value) { return value; }
  static Json to_json(unsigned value) { return value; }
  static Json to_json(std::uint64_t value) { return value; }
  static Json to_json(double value) { return number(value); }
  static Json to_json(measure::Seconds time) { return number(time.count()); }
  static Json to_json(Status status) { return to_string(status); }
  static Json to_json(Verdict verdict) { return to_string(verdict); }
  static Json to_json(Better better) { return to_string(better); }
  static Json to_json(PeerLink::Path path) { return to_string(path); }
  static Json to_json(const Value& value) { return parameter(value); }
  static Json to_json(const std::vector<Parameter>& named) { return parameters(named); }
  static Json to_json(const NamedValues& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = number(value);
    return object;
  }
  static Json to_json(const SiteWork& site) {
    Json row = Json::array({to_string(site.space), to_string(site.op), site.word_bytes, site.past_l1 ? 1 : 0});
    std::size_t length = std::size(site_sums);
    while (length > 0 && site.*site_sums[length - 1].value == 0) --length;
    for (std::size_t i = 0; i < length; ++i) row.push_back(number(site.*site_sums[i].value));
    return row;
  }
  static Json to_json(const NamedCounts& counts) {
    Json object = Json::object();
    for (const auto& [name, count] : counts) object[name] = count;
    return object;
  }
  static Json to_json(const FactValue::Item& item) {
    const auto* const words = std::get_if<std::string>(&item);
    return words != nullptr ? Json(*words) : number(std::get<double>(item));
  }
  static Json to_json(const FactItems& items) {
    Json object = Json::object();
    for (const FactValue& value : items.values) {
      object[value.name] = value.is_list ? to_json(value.items) : to_json(value.items.front());
    }
    return object;
  }
  static Json to_json(const FactPredictions& predictions) {
    Json object = Json::object();
    for (const FactValue& value : predictions.values) {
      if (value.predicted) object[value.name] = number(*value.predicted);
    }
    return object;
  }
  static Json to_json(const FactUnits& units) {
    Json object = Json::object();
    for (const FactValue& value : units.values) {
      const bool is_number = !value.items.empty() && std::holds_alternative<double>(value.items.front());
      if (const std::string unit = unit_of(value.name); is_number && !unit.empty()) object[value.name] = unit;
    }
    return object;
  }
  static Json to_json(const std::vector<MetricRecord>& quantities) {
    Json object = Json::object();
    for (auto [name, measured, predicted] : quantities) object[name] = of(MeasuredFields{measured, predicted});
    return object;
  }
  template <class T>
  static Json to_json(const Signed<T>& member) {
    return to_json(member.value);
  }
  template <class T>
  static Json to_json(const NullIfUnknown<T>& member) {
    return is_empty(member.value) ? Json(nullptr) : to_json(member.value);
  }
  template <class T>
  static Json to_json(const std::optional<T>& value) {
    return value ? to_json(*value) : Json(nullptr);
  }
  template <class T>
  static Json to_json(const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& item : list) array.push_back(to_json(item));
    return array;
  }
  template <class T>
  static Json to_json(const T& record) {
    return of(record);
  }

  Json json_ = Json::object();
};

/// Describes the names in a report, so that its readers need no list of them.
void FieldWriter::described(const Report& report) {
  Json quantities = Json::object();
  for (const Quantity& quantity : quantities_in(report)) {
    quantities[quantity.name] = {{"title", quantity_title(quantity.name)},
                                 {"purpose", quantity.purpose},
                                 {"unit", unit_of(quantity.name)},
                                 {"better", to_string(quantity.better)}};
  }
  Json probes = Json::object();
  Json parameters = Json::object();
  Json stages = Json::object();
  for (const Record& record : report.results) {
    const Probe* probe = find_described_probe(record.probe);
    probes[record.probe] = {{"purpose", probe != nullptr ? Json(probe->purpose) : Json(nullptr)}};
    for (const Parameter& parameter : record.parameters) {
      if (parameters.contains(parameter.name)) continue;
      const auto [name, unit] = parameter_heading(parameter.name);
      parameters[parameter.name] = {{"title", name},
                                    {"unit", is_size(parameter.name) ? "bytes" : unit},
                                    {"one", parameter_phrase({parameter.name, std::uint64_t{1}})},
                                    {"several", parameter_phrase({parameter.name, Value("{}")})}};
      if (!is_said(record.probe, {parameter.name, std::uint64_t{0}})) parameters[parameter.name]["zero"] = "";
    }
    for (const StageRecord& stage : record.stages) stages[stage.stage] = stage_words(stage.stage);
  }
  json_["quantities"] = std::move(quantities);
  json_["words"] = {
      {"probes", std::move(probes)}, {"parameters", std::move(parameters)}, {"stages", std::move(stages)}};
}

// The layout: what differs between two reports should stand on a line of its own, yet a hundred samples on one.
// nlohmann's own dump offers one number per line or everything on one line.

constexpr unsigned deepest_broken_level = 3;  // report, results, a result, its time, access and timeline
constexpr std::size_t long_text = 60;

bool is_broken(const Json& value, unsigned level) {
  if (value.empty() || level > deepest_broken_level) return false;
  return std::ranges::any_of(value, [](const Json& part) {
    return part.is_structured() || (part.is_string() && part.get_ref<const std::string&>().size() > long_text);
  });
}

void append_scalar(std::string& text, const Json& value) {
  if (value.is_number_float()) {
    fmt::format_to(std::back_inserter(text), "{}", value.get<double>());  // shortest that reads back the same
    return;
  }
  // A text that a terminal would act on (report/text/text.hpp) is written in ASCII, with escapes for everything else.
  // An argument or a file name may hold any bytes; those that are not UTF-8 are replaced, not fatal.
  const auto* const held = value.get_ptr<const std::string*>();
  const bool escapes = held != nullptr && one_line(*held) != *held;
  text += value.dump(-1, ' ', escapes, Json::error_handler_t::replace);
}

void append(std::string& text, const Json& value, unsigned level) {
  if (!value.is_structured()) return append_scalar(text, value);
  const bool broken = is_broken(value, level);
  const bool object = value.is_object();
  text += object ? '{' : '[';
  const char* separator = "";
  for (auto part = value.begin(); part != value.end(); ++part) {
    text += separator;
    separator = broken ? "," : ", ";
    if (broken) text.append("\n").append(2 * (level + 1), ' ');
    if (object) {
      append_scalar(text, part.key());
      text += ": ";
    }
    append(text, *part, level + 1);
  }
  if (broken) text.append("\n").append(2 * level, ' ');
  text += object ? '}' : ']';
}

void write_laid_out(std::ostream& out, const Json& json) {
  std::string text;
  append(text, json, 0);
  out << text << '\n';
}

}  // namespace

void write_json(std::ostream& out, const Report& report) { write_laid_out(out, FieldWriter::of(report)); }

Json json_values::record_json(const Record& record) { return FieldWriter::of(record); }

Json json_values::report_json(const Report& report) { return FieldWriter::of(report); }

void write_devices_json(std::ostream& out, std::span<const Device> devices) {
  Json list = Json::array();
  for (const Device& device : devices) list.push_back(FieldWriter::of(device));
  write_laid_out(out, list);
}

}  // namespace gpumem::report
