#include "engine/model/complete_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/access/request.hpp"
#include "engine/model/rate_fields.hpp"

namespace gpumem::model {

namespace {

/// The ratio of a device's rates to the reference's, and the quantity that it was found by.
struct Factor {
  double times = 1;
  std::string_view by = {};  ///< empty: by nothing that is known of the device
};

/// The names of the rates that a profile states.
using Stated = std::set<std::string, std::less<>>;

Stated stated_by(const Profile& profile) {
  Stated names;
  for (const auto& [name, how] : profile.how) names.insert(name);
  return names;
}

struct Factors {
  Factor memory;
  Factor channels;
  Factor chip;
  Factor l2;
  Factor link;
  Factor clock;

  Factors(const Profile& profile, const Stated& stated, const Profile& reference);

  [[nodiscard]] Factor of(Scale scale) const {
    const Factor of_scales[] = {{}, memory, channels, l2, chip, link, clock};  // in the order of the enumerators
    return of_scales[static_cast<std::size_t>(scale)];
  }
};

Factors::Factors(const Profile& profile, const Stated& stated, const Profile& reference) {
  const Device& device = profile.device;
  const Device& other = reference.device;
  // Not every GPU tells its clocks (one that shares the host's memory may not), and no rate may be 0.
  const auto factor = [](double own, double others, std::string_view by, Factor unknown) {
    return own > 0 && others > 0 ? Factor{own / others, by} : unknown;
  };
  const auto as_stated = [&](RateId rate, std::string_view by, Factor unknown) {
    return stated.contains(field_of(rate).name) ? Factor{profile.rates[rate] / reference.rates[rate], by} : unknown;
  };
  clock = factor(static_cast<double>(device.sm_clock_hz), static_cast<double>(other.sm_clock_hz),
                 "the multiprocessors' clock", {});
  chip = factor(device.shared_peak_bytes_per_s(), other.shared_peak_bytes_per_s(), "multiprocessors x clock", {});
  memory = factor(device.theoretical_bandwidth_bytes_per_s(), other.theoretical_bandwidth_bytes_per_s(),
                  "the memory's theoretical bandwidth", chip);
  channels = factor(memory_channels(device), memory_channels(other), "the channels of the memory", memory);
  // Slices of L2 have the same size within an architecture.
  const double slices = static_cast<double>(device.l2_bytes) / static_cast<double>(other.l2_bytes);
  const bool same_slices = device.compute_capability == other.compute_capability && device.l2_bytes > 0;
  l2 = as_stated(rate_ids.l2.load_sectors_per_s, "the rate of loads from L2",
                 same_slices ? Factor{slices * clock.times, "the size of L2 x clock"} : chip);
  link = as_stated(rate_ids.link.to_device_bytes_per_s, "the rate of pinned copies",
                   factor(device.link_bytes_per_s().value_or(0), other.link_bytes_per_s().value_or(0),
                          "the links' theoretical bandwidths", {}));
}

/// The mean rate of as many bytes at one rate as at the other.
double mixed(double one, double other) { return 2 / (1 / one + 1 / other); }

/// Sets rates of a profile that are not stated.
class Guesses {
 public:
  Guesses(Profile& profile, const IsGuess& is_guess) : profile_(profile), is_guess_(is_guess) {}

  [[nodiscard]] bool is_guess(RateId rate) const { return is_guess_(field_of(rate).name); }

  void set(RateId rate, double value, std::string_view how) {
    if (!is_guess(rate)) return;
    const RateField& field = field_of(rate);
    // A device that says absurd things of itself gets no rate that its profile could not have.
    profile_.rates[rate] = std::clamp(value, field.range.least, field.range.most);
    profile_.how[field.name] = fmt::format("the H200's, {}; not measured", how);
  }
  void at_most(RateId rate, double most, std::string_view why) {
    if (profile_.rates[rate] > most) set(rate, most, why);
  }
  void at_least(RateId rate, double least, std::string_view why) {
    if (profile_.rates[rate] < least) set(rate, least, why);
  }

  /// The units of a rate (sectors, lines) that a byte of a whole array takes.
  struct Share {
    RateId rate;
    double of_byte;
  };

  /// Raises those of the rates that are guesses until a whole array moves at `bytes_per_s` through all of them, one
  /// after another.
  void let_through(double bytes_per_s, std::initializer_list<Share> shares, std::string_view what) {
    double known_s = 0;
    double guessed_s = 0;
    for (const auto& [rate, of_byte] : shares) {
      (is_guess(rate) ? guessed_s : known_s) += of_byte / profile_.rates[rate];
    }
    const double left_s = 1 / bytes_per_s - known_s;
    constexpr double as_long = 1.01;
    if (guessed_s <= as_long * left_s || left_s <= 0) return;
    for (const auto& [rate, of_byte] : shares) {
      set(rate, profile_.rates[rate] * guessed_s / left_s, fmt::format("raised to the rate of {}", what));
    }
  }

 private:
  Profile& profile_;
  const IsGuess& is_guess_;
};

/// Memory has one bus: what is read and written in turn takes the time of both, and of turning the bus around. That
/// costs an H200 9 %, and 5 to 10 % the six other GPUs with a profile of which all three rates are known.
void guess_copies(Guesses& guesses, const Rates& rates, const Rates& reference) {
  const double both = mixed(rates.dram.read_bytes_per_s, rates.dram.write_bytes_per_s);
  const bool knows_both =
      !guesses.is_guess(rate_ids.dram.read_bytes_per_s) && !guesses.is_guess(rate_ids.dram.write_bytes_per_s);
  if (knows_both) {
    const double kept =
        reference.dram.copy_bytes_per_s / mixed(reference.dram.read_bytes_per_s, reference.dram.write_bytes_per_s);
    guesses.set(rate_ids.dram.copy_bytes_per_s, kept * both, "scaled by the rates of reads and writes");
  } else if (!guesses.is_guess(rate_ids.dram.copy_bytes_per_s)) {
    constexpr const char* why = "raised to the rate of copies";
    guesses.at_least(rate_ids.dram.read_bytes_per_s, rates.dram.copy_bytes_per_s, why);
    guesses.at_least(rate_ids.dram.write_bytes_per_s, rates.dram.copy_bytes_per_s, why);
  } else {
    guesses.at_most(rate_ids.dram.copy_bytes_per_s, both, "lowered to the mean rate of reads and writes");
  }
}

/// A link has two ways, which share what feeds them: both at once carry a share of their sum.
void guess_both_ways(Guesses& guesses, const Rates& rates, const Rates& reference) {
  const double sum = rates.link.to_device_bytes_per_s + rates.link.to_host_bytes_per_s;
  const bool knows_each =
      !guesses.is_guess(rate_ids.link.to_device_bytes_per_s) && !guesses.is_guess(rate_ids.link.to_host_bytes_per_s);
  if (knows_each) {
    const double kept = reference.link.both_ways_bytes_per_s /
                        (reference.link.to_device_bytes_per_s + reference.link.to_host_bytes_per_s);
    guesses.set(rate_ids.link.both_ways_bytes_per_s, kept * sum, "scaled by the rates of pinned copies each way");
  } else {
    guesses.at_most(rate_ids.link.both_ways_bytes_per_s, sum, "lowered to the sum of each way");
  }
}

}  // namespace

double memory_channels(const Device& device) {
  if (device.memory_clock_hz == 0) return 0;
  constexpr unsigned stack_bits = 1024;  // no other memory has a bus as wide as one stack of HBM
  constexpr std::uint64_t mhz = 1'000'000;
  // The clock is half the rate of a pin: at most 3.6 Gb/s of HBM2E, 5.2 and more of HBM3; at most 9 Gb/s of GDDR5, 10
  // to 24 of GDDR6 and GDDR6X, 28 and more of GDDR7.
  const auto bits = [&] {
    if (device.memory_bus_bits >= stack_bits) return device.memory_clock_hz < 2200 * mhz ? 64 : 32;
    if (device.integrated) return 16;
    if (device.memory_clock_hz < 4600 * mhz) return 32;
    return device.memory_clock_hz < 13'000 * mhz ? 16 : 8;
  };
  return static_cast<double>(device.memory_bus_bits) / bits();
}

void keep_up(Profile& profile, const IsGuess& is_guess) {
  Guesses guesses(profile, is_guess);
  const Rates& rates = profile.rates;
  constexpr double sector = 1.0 / access::sector_bytes;
  constexpr double line = 1.0 / access::line_bytes;
  constexpr double pair = 1.0 / access::line_pair_bytes;
  const double spread = 1 + rates.l2.line_spread_share;  // at worst
  guesses.let_through(rates.dram.read_bytes_per_s, {{rate_ids.l2.load_sectors_per_s, sector}}, "memory's reads");
  guesses.let_through(rates.dram.write_bytes_per_s, {{rate_ids.l2.store_sectors_per_s, sector}}, "memory's writes");
  guesses.let_through(
      rates.dram.read_bytes_per_s,
      {{rate_ids.l2.load_lines_per_s, spread * line}, {rate_ids.l2.load_line_pairs_per_s, spread * pair}},
      "memory's reads");
  guesses.let_through(rates.dram.write_bytes_per_s,
                      {{rate_ids.l2.store_lines_per_s, line}, {rate_ids.l2.store_line_pairs_per_s, pair}},
                      "memory's writes");
  guesses.let_through(rates.dram.copy_bytes_per_s,
                      {{rate_ids.l2.load_sectors_per_s, sector / 2}, {rate_ids.l2.store_sectors_per_s, sector / 2}},
                      "memory's copies");
  guesses.let_through(rates.dram.copy_bytes_per_s,
                      {{rate_ids.l2.load_lines_per_s, spread * line / 2},
                       {rate_ids.l2.load_line_pairs_per_s, spread * pair / 2},
                       {rate_ids.l2.store_lines_per_s, line / 2},
                       {rate_ids.l2.store_line_pairs_per_s, pair / 2}},
                      "memory's copies");
}

void complete(Profile& profile, const Profile& reference) {
  const Stated stated = stated_by(profile);
  const Factors factors(profile, stated, reference);
  const IsGuess is_guess = [&](std::string_view name) { return !stated.contains(name); };
  Guesses guesses(profile, is_guess);
  for (const RateField& field : rate_fields()) {
    if (field.measured_only || stated.contains(field.name)) continue;
    const Factor factor = factors.of(field.scale);
    guesses.set(field.id, reference.rates[field.id] * factor.times, fmt::format("scaled by {}", factor.by));
    if (factor.by.empty()) profile.how[field.name] = "the H200's; not measured";
  }
  guess_copies(guesses, profile.rates, reference.rates);
  guess_both_ways(guesses, profile.rates, reference.rates);
  keep_up(profile, is_guess);
}

}  // namespace gpumem::model
