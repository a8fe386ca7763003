#pragma once
// Values as every JSON of gpumem has them: what is absent is null, and so is a number that is not finite.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report::json_values {

using Json = nlohmann::ordered_json;

inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json number(std::optional<double> value) { return value ? number(*value) : Json(nullptr); }

inline Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <typename T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json parameter(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

inline Json parameter(const std::optional<Value>& value) { return value ? parameter(*value) : Json(nullptr); }

inline Json parameters(const std::vector<Parameter>& named) {
  Json object = Json::object();
  for (const auto& [name, value] : named) object[name] = parameter(value);
  return object;
}

/// A record as it stands in a report's `results`; read_record_line reads it from a line.
[[nodiscard]] Json record_json(const Record& record);
/// A report, which read_report_line reads from a line.
[[nodiscard]] Json report_json(const Report& report);

}  // namespace gpumem::report::json_values
