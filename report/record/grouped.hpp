#pragma once
// Items that have something in common.

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpumem::report {

/// The items by what they have in common, in order of first appearance.
template <class Item, class Common>
[[nodiscard]] auto grouped(const std::vector<Item>& items, const Common& common) {
  std::vector<std::pair<std::decay_t<std::invoke_result_t<Common, Item>>, std::vector<Item>>> groups;
  for (const Item& item : items) {
    const auto& key = common(item);
    auto same = std::ranges::find_if(groups, [&](const auto& group) { return group.first == key; });
    if (same == groups.end()) same = groups.insert(same, {key, {}});
    same->second.push_back(item);
  }
  return groups;
}

}  // namespace gpumem::report
