// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <string>
#include <vector>

/// Reads variables of MPI's tool interface like a tool.
namespace test_support {

struct VariableInfo {
  std::string name;
  std::string description;
  int verbosity = -1;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  int bind = -1;
  bool operator==(const VariableInfo&) const = default;
};

struct ControlInfo : VariableInfo {
  int scope = -1;
  bool operator==(const ControlInfo&) const = default;
};

struct PerformanceInfo : VariableInfo {
  int variable_class = -1;
  int readonly = -1;
  int continuous = -1;
  int atomic = -1;
  bool operator==(const PerformanceInfo&) const = default;
};

struct Category {
  std::string name;
  std::string description;
  std::vector<int> cvars;
  std::vector<int> pvars;
  std::vector<int> categories;
  bool operator==(const Category&) const = default;
};

/// Returns a text that `get(buffer, &length)` stores. Without a buffer `get` returns the length.
template <class Get>
std::string text_of(const Get& get) {
  int length = 0;
  get(nullptr, &length);
  if (length == 0) return {}; // there is no text
  std::string text(static_cast<std::size_t>(length), '?');
  get(text.data(), &length);
  text.pop_back();
  return text;
}

template <auto GetInfo>
ControlInfo control_info(int index) {
  ControlInfo info;
  info.name = text_of([&](char* text, int* length) {
    GetInfo(index, text, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  });
  info.description = text_of([&](char* text, int* length) {
    GetInfo(index, nullptr, nullptr, nullptr, nullptr, nullptr, text, length, nullptr, nullptr);
  });
  GetInfo(index, nullptr, nullptr, &info.verbosity, &info.datatype, nullptr, nullptr, nullptr, &info.bind,
          &info.scope);
  return info;
}

template <auto GetInfo>
PerformanceInfo performance_info(int index) {
  PerformanceInfo info;
  info.name = text_of([&](char* text, int* length) {
    GetInfo(index, text, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
            nullptr, nullptr);
  });
  info.description = text_of([&](char* text, int* length) {
    GetInfo(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, text, length, nullptr, nullptr,
            nullptr, nullptr);
  });
  GetInfo(index, nullptr, nullptr, &info.verbosity, &info.variable_class, &info.datatype, nullptr, nullptr,
          nullptr, &info.bind, &info.readonly, &info.continuous, &info.atomic);
  return info;
}

template <auto GetInfo, auto GetCvars, auto GetPvars, auto GetCategories>
Category category(int index) {
  Category found;
  found.name = text_of([&](char* text, int* length) {
    GetInfo(index, text, length, nullptr, nullptr, nullptr, nullptr, nullptr);
  });
  found.description = text_of([&](char* text, int* length) {
    GetInfo(index, nullptr, nullptr, text, length, nullptr, nullptr, nullptr);
  });
  int cvars = 0;
  int pvars = 0;
  int categories = 0;
  GetInfo(index, nullptr, nullptr, nullptr, nullptr, &cvars, &pvars, &categories);
  found.cvars.resize(static_cast<std::size_t>(cvars));
  found.pvars.resize(static_cast<std::size_t>(pvars));
  found.categories.resize(static_cast<std::size_t>(categories));
  GetCvars(index, cvars, found.cvars.data());
  GetPvars(index, pvars, found.pvars.data());
  GetCategories(index, categories, found.categories.data());
  return found;
}

/// Returns the indices that native MPI lacks. The library has added them, unless MPI has added variables.
template <auto GetNumber, auto GetNative>
std::vector<int> own_indices() {
  int all = 0;
  int native = 0;
  GetNumber(&all);
  GetNative(&native);
  std::vector<int> own;
  for (int index = native; index < all; ++index) own.push_back(index);
  return own;
}

} // namespace test_support
