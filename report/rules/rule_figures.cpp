// The figures in the texts of the rules. Not every case has all of them.

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/rules/why_rules.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double lanes = access::warp_lanes;

/// Says how much more device memory moves than is used: "device memory moves 8.0 bytes for every useful one". Empty if
/// that was not counted, or is not more.
std::string moved(const Evidence& e) {
  if (!moves_too_much(e)) return {};
  std::string text =
      fmt::format("device memory moves {} bytes for every useful one", significant(*moved_per_useful(e), 2));
  const double unasked = unasked_read_bytes(e).value_or(0);
  if (unasked < 0.1 * e.record.useful_bytes()) return text;
  const std::string bytes = decimal_size(unasked);
  if (!e.load) return text + fmt::format(" (stores that leave sectors incomplete make it read {} back)", bytes);
  if (!e.store) return text + fmt::format(" ({} of it unused halves of its 64-byte atoms)", bytes);
  return text + fmt::format(" ({} of it read for incomplete sectors and as unused halves of 64-byte atoms)", bytes);
}

/// ", and L2 takes 1.9 write requests per store instead of 1".
std::string l2_requests(const Evidence& e) {
  using measure::Counts;
  const auto words = [&](std::optional<double> Counts::*at_l2, std::optional<double> Counts::*at_l1,
                         const std::optional<RequestCost>& cost, const char* verb, const char* op) -> std::string {
    const auto requests = count_of(e, at_l2);
    const auto issued = count_of(e, at_l1);
    if (!requests || !issued || *issued <= 0 || !cost) return {};
    const double least = std::max(1.0, cost->word_bytes / 4.0);  // lines of 128 bytes
    const double each = *requests / *issued;
    if (each < least * 1.05) return {};
    return fmt::format(", and L2 takes {} {} requests per {} instead of {}", trimmed(each, 2), verb, op,
                       trimmed(least, 0));
  };
  return words(&Counts::l2_read_requests, &Counts::global_load_requests, e.load, "read", "load") +
         words(&Counts::l2_write_requests, &Counts::global_store_requests, e.store, "write", "store");
}

/// " of 256 threads with 1 element each"
std::string block_shape(const Evidence& e) {
  const auto threads = number(e, "block_threads");
  if (!threads) return {};
  return fmt::format(" of {} threads with {} each", *threads,
                     counted(number(e, "elements_per_thread").value_or(1), "element"));
}

std::string in_flight(const Evidence& e) {
  const auto elements = number(e, "elements_per_thread");
  if (!elements || !e.load) return "threads wait for what they load";
  return fmt::format("each thread has {} on their way", counted(*elements * e.load->word_bytes, "byte"));
}

/// " at an achieved occupancy of 45 %", where it was counted.
std::string at_occupancy(const Evidence& e) {
  const auto share = count_of(e, &measure::Counts::achieved_occupancy);
  return share ? " at an achieved occupancy of " + whole_percent(*share) : "";
}

std::string of_link(const Evidence& e) {
  const HeadlineRecord& headline = e.record.headline;
  if (!headline.value() || !headline.peak || !e.record.fraction_of_peak) {
    return "the data crosses it and is then used again";
  }
  return fmt::format("{} of {}", significant(*headline.value(), 3), value_words(headline.quantity, *headline.peak));
}

/// The share of the case that its limit takes.
std::string busy(const Evidence& e) { return e.limit_s && e.case_s ? whole_percent(*e.limit_s / *e.case_s) : "most"; }

std::string fixed_costs(const Evidence& e) {
  const auto copies = std::ranges::find(e.record.stages, "copies", &StageRecord::stage);
  if (copies == e.record.stages.end() || !seconds_of(*copies)) return "each copy has a fixed cost";
  return "fixed costs of copies take " + stage_time_words(*seconds_of(*copies));
}

}  // namespace

std::string conflict_cure_of(const Evidence& e) {
  const Probe* const probe = find_probe(e.record.probe);
  if (probe == nullptr || !probe->conflict_cure) return "";
  const auto tested = case_of(e.record, *probe, !probe->reads_files);
  return tested ? probe->conflict_cure(*tested) : "";
}

std::string stage_time_words(double seconds) { return duration_words(seconds, 3); }

std::string filled(std::string_view text, const Rule& rule, const Evidence& e) {
  const auto [cost, name] = rule.waste == nullptr ? Waste() : rule.waste(e).value_or(Waste());
  const std::string so_much = moved(e);
  const std::string cure = text.find("{conflict_cure}") == text.npos ? "" : conflict_cure_of(e);  // it takes time
  return fmt::format(
      fmt::runtime(text), fmt::arg("name", name), fmt::arg("each", trimmed(cost.each, 2)),
      fmt::arg("least", trimmed(cost.least, 2)), fmt::arg("ways", trimmed(cost.excess(), 1)),
      fmt::arg("used", trimmed(lanes / cost.each, 1)), fmt::arg("words", trimmed(lanes / cost.word_bytes, 0)),
      fmt::arg("l2", l2_requests(e)), fmt::arg("moved", so_much),
      fmt::arg("so_moved", so_much.empty() ? "" : ", so that " + so_much),
      fmt::arg("per_useful", significant(moved_per_useful(e).value_or(0), 2)), fmt::arg("shape", block_shape(e)),
      fmt::arg("in_flight", in_flight(e)), fmt::arg("at_occupancy", at_occupancy(e)), fmt::arg("of_link", of_link(e)),
      fmt::arg("fixed_costs", fixed_costs(e)), fmt::arg("work", stage_time_words(work_s(e))),
      fmt::arg("limit", stage_words(e.limit)), fmt::arg("busy", busy(e)), fmt::arg("conflict_cure", cure));
}

}  // namespace gpumem::report
