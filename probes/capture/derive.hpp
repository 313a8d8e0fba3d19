// SPDX-License-Identifier: BSD-2-Clause
// What follows from other facts, by what it is about; derive() of assemble.hpp calls them in order.
#pragma once

#include <utility>

#include "probes/model/host_facts.hpp"

namespace diskwright {

template <class T>
void set_if_unknown(Known<T>& value, T derived, const Provenance& from) {
    if (!value.known()) value = Known<T>(std::move(derived), from);
}

inline Provenance inferred_from(const Provenance& fact) {
    return Provenance(fact.source(), fact.line(), fact.text(), Provenance::Kind::inferred);
}

/// Data disks by the level; state, spares and size by the components.
void derive_volume(Volume& v);
/// File systems by their mounts, settings and geometry, and mounts by their file systems.
void derive_filesystems(HostFacts& facts);

}  // namespace diskwright
