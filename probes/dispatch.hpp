#pragma once
// From values of a run to template arguments. dispatch() calls a visitor with what stands for each value when
// compiling:
//
//   dispatch(type_of_size<std::uint32_t, uint2, uint4>(word_bytes), one_of<1, 2, 4>(elements_per_thread),
//            [&](auto word, auto elements) { read<typename decltype(word)::type, elements()><<<...>>>(...); });

#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace gpumem {

/// A value that one of the tags stands for: the first that `fits`.
template <class Fits, class... Tags>
struct OneOf {
  Fits fits;
};

template <class... Tags, class Fits>
[[nodiscard]] constexpr OneOf<Fits, Tags...> first_that(Fits fits) {
  return {fits};
}

/// Tags are integral_constants of the values.
template <auto... values, class Value>
[[nodiscard]] constexpr auto one_of(Value value) {
  return first_that<std::integral_constant<Value, Value{values}>...>([=](auto known) { return known() == value; });
}

/// Tags are type_identities of the types, which differ in their size.
template <class... Types>
[[nodiscard]] constexpr auto type_of_size(std::size_t bytes) {
  return first_that<std::type_identity<Types>...>(
      [=](auto known) { return sizeof(typename decltype(known)::type) == bytes; });
}

/// dispatch(values..., visit) calls visit(tags...). Throws std::logic_error if no tag stands for a value: nothing is
/// compiled for it.
template <class... Found, class Visitor>
decltype(auto) dispatch(Visitor&& visit) {
  return std::forward<Visitor>(visit)(Found{}...);
}
template <class... Found, class Fits, class Tag, class... Tags, class... Rest>
decltype(auto) dispatch(const OneOf<Fits, Tag, Tags...>& value, Rest&&... rest) {
  if (!value.fits(Tag{})) {
    if constexpr (sizeof...(Tags) > 0) {
      return dispatch<Found...>(OneOf<Fits, Tags...>{value.fits}, std::forward<Rest>(rest)...);
    } else {
      throw std::logic_error("no kernel is compiled for this value");
    }
  }
  return dispatch<Found..., Tag>(std::forward<Rest>(rest)...);
}

}  // namespace gpumem
