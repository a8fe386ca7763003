#include "report/record/sweep.hpp"

#include <algorithm>
#include <map>

#include "report/record/cases.hpp"

namespace gpumem::report {

namespace {

/// Equal for records that differ in nothing but the free parameters. Control characters separate the parts, since names
/// may hold anything printable; the kind of a value keeps the number 4 and the name "4" apart.
std::string key_of(const Record& record, std::span<const std::string> free) {
  std::string key = record.probe + '\x1e' + record.swept + '\x1e' + record.compared + '\x1e' + record.across;
  for (const auto& [name, value] : record.parameters) {
    if (std::ranges::find(free, name) != free.end()) continue;
    key += '\x1e' + name + (value.index() == 0 ? '\x1f' : '\x1d') + gpumem::to_string(value);
  }
  return key;
}

/// Groups records by all but the parameters that `free` names for each.
template <class Free>
std::vector<Members> grouped(std::span<const Record> results, const Free& free) {
  std::vector<Members> found;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<std::string> names = free(results[i]);
    const auto [entry, added] = place.try_emplace(key_of(results[i], names), found.size());
    if (added) found.emplace_back();
    found[entry->second].push_back(i);
  }
  return found;
}

/// Above 1 is better, whichever way the quantity is.
std::optional<double> ratio(const HeadlineRecord& headline, std::optional<double> value, std::optional<double> base) {
  if (!value || !base || *base <= 0 || (headline.better == Better::less && *value <= 0)) return std::nullopt;
  return headline.goodness(*value) / headline.goodness(*base);
}

}  // namespace

std::vector<Members> sweeps(std::span<const Record> results) {
  return grouped(results, [](const Record& record) { return std::vector{record.swept}; });
}

std::vector<Members> tables(std::span<const Record> results) {
  return grouped(results, [](const Record& record) {
    return std::vector{record.swept, record.compared, record.across};
  });
}

std::vector<Members> alternatives(std::span<const Record> results) {
  return grouped(results, [](const Record& record) { return std::vector{record.compared}; });
}

const std::string& baseline_parameter(const Record& record) {
  return record.compared.empty() ? record.swept : record.compared;
}

void relate_to_baselines(std::vector<Record>& results) {
  const auto related = grouped(results, [](const Record& record) { return std::vector{baseline_parameter(record)}; });
  for (const Members& members : related) {
    const auto baseline = std::ranges::find_if(members, [&](std::size_t member) {
      const Parameter* parameter = find_parameter(results[member], baseline_parameter(results[member]));
      return parameter != nullptr && parameter->value == results[member].baseline;
    });
    // Copied: the baseline is one of the records written below.
    const HeadlineRecord base = baseline == members.end() ? HeadlineRecord{} : results[*baseline].headline;
    for (const std::size_t member : members) {
      const HeadlineRecord& own = results[member].headline;
      const bool comparable = own.quantity == base.quantity;
      results[member].relative_measured = comparable ? ratio(own, own.measured, base.measured) : std::nullopt;
      results[member].relative_predicted = comparable ? ratio(own, own.predicted, base.predicted) : std::nullopt;
    }
  }
}

}  // namespace gpumem::report
