#include "app/calibrate/calibration.hpp"
#include "engine/model/rate_fields.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

bool has_value(const report::Record& record, std::string_view parameter, const Value& value) {
  const Parameter* found = report::find_parameter(record, parameter);
  return found != nullptr && found->value == value;
}

void set_rate(model::RateId rate, double value, const std::string& read_off, model::Profile& profile,
              CasesOfRates& how) {
  const model::RateField& field = model::field_of(rate);
  if (!(value >= field.range.least && value <= field.range.most)) return;
  profile.rates[rate] = value;
  how[field.name] = read_off;
}

}  // namespace gpumem::app
