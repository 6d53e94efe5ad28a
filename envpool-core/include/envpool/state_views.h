// SPDX-License-Identifier: Apache-2.0
// An environment gets its state from Allocate and its action in Step. Both are a Dict of views, one
// for each array of the spec, which point at one row of the columns.
//
//   using State = detail::StateOf<detail::ViewsOf<decltype(spec.state_spec)>::type>::type;
//   State state = detail::PointedViews<State>::At(spec.state, row.columns, row.index, players);
#pragma once

#include <cstddef>
#include <type_traits>

#include "envpool/dict.h"
#include "envpool/engine/columns.h"
#include "envpool/pool_written_array.h"
#include "envpool/spec.h"
#include "envpool/view.h"
#include "envpool/view_map.h"

namespace envpool::detail {

template <typename S>
struct ViewOf;
template <typename T>
struct ViewOf<Spec<T>> {
  using type = View<T>;
};
template <typename T>
struct ViewOf<SpecMap<T>> {
  using type = ViewMap<T>;
};
template <>
struct ViewOf<SpecList> {
  using type = ViewList;
};
template <typename SpecDict>
struct ViewsOf;
template <FixedString... Name, typename... S>
struct ViewsOf<Dict<Field<Name, S>...>> {
  using type = Dict<Field<Name, typename ViewOf<S>::type>...>;
};
template <typename Field>
struct StateField {
  using type = Field;
};
template <FixedString Name, typename T>
  requires(kIsThePools<Name>)
struct StateField<Field<Name, View<T>>> {
  using type = Field<Name, PoolWrittenArray<Name, T>>;
};
/// As the views of an action, except that an environment cannot write arrays that the pool writes.
template <typename ViewDict>
struct StateOf;
template <typename... Fields>
struct StateOf<Dict<Fields...>> {
  using type = Dict<typename StateField<Fields>::type...>;
};

// After the parameters of a lambda.
#if defined(_MSC_VER) && !defined(__clang__)
#define ENVPOOL_ALWAYS_INLINE [[msvc::forceinline]]
#else
#define ENVPOOL_ALWAYS_INLINE __attribute__((always_inline))
#endif

/// The views of one environment's part of all arrays: row `row` of each column. Inlined everywhere,
/// so that the views that the environment does not look at are never made: half of a cheap step.
template <typename ViewDict>
struct PointedViews;
template <typename... Fields>
struct PointedViews<Dict<Fields...>> {
  [[gnu::always_inline]] static Dict<Fields...> At(const Columns& layout, std::byte* const* columns,
                                                   std::size_t row, int players) {
    std::size_t next = 0, next_map = 0;
    const auto field = [&]<typename F>() ENVPOOL_ALWAYS_INLINE {
      const std::size_t i = next;
      if constexpr (std::is_base_of_v<ViewGroup, typename F::type>) {
        next += layout.map_sizes[next_map];
        return F{{layout, columns, row, players, i, layout.map_sizes[next_map++], F::name.size()}};
      } else {
        ++next;
        return F{MakeView<typename F::type::dtype>(
            layout.views[i], columns[i] + row * layout.row_sizes[i], players, layout.max_players)};
      }
    };
    return Dict<Fields...>{field.template operator()<Fields>()...};  // braces: in this order
  }
};

}  // namespace envpool::detail
