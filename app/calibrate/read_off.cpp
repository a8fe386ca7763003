#include "app/calibrate/read_off.hpp"

#include <algorithm>

#include "report/record/cases.hpp"

namespace gpumem::app {

bool has_value(const report::Record& record, std::string_view parameter, const Value& value) {
  const Parameter* found = report::find_parameter(record, parameter);
  return found != nullptr && found->value == value;
}

void set_rate(model::RateMember rate, double value, const std::string& read_off, model::Profile& profile,
              std::map<std::string, std::string>& how) {
  const auto field = std::ranges::find(model::rate_fields(), rate, &model::RateField::value);
  if (!(value >= field->least && value <= field->most)) return;
  profile.rates.*rate = value;
  how[field->name] = read_off;
}

}  // namespace gpumem::app
