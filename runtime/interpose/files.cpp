// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of files that block in MPI; see native.cpp.

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

extern "C" {

int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  return Entry<PMPI_File_open, rescue>::call(comm, filename, amode, info, fh);
}

int MPI_File_close(MPI_File* fh) {
  return Entry<PMPI_File_close, rescue>::call(fh);
}

int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
  return Entry<PMPI_File_read_all, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_write_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
  return Entry<PMPI_File_write_all, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
                         MPI_Status* status) {
  return Entry<PMPI_File_read_at_all, rescue>::call(fh, offset, buf, count, datatype, status);
}

int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
                          MPI_Status* status) {
  return Entry<PMPI_File_write_at_all, rescue>::call(fh, offset, buf, count, datatype, status);
}

int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
  return Entry<PMPI_File_read_ordered, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_write_ordered(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                           MPI_Status* status) {
  return Entry<PMPI_File_write_ordered, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* datarep, MPI_Info info) {
  return Entry<PMPI_File_set_view, rescue>::call(fh, disp, etype, filetype, datarep, info);
}

int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
  return Entry<PMPI_File_set_size, rescue>::call(fh, size);
}

int MPI_File_sync(MPI_File fh) {
  return Entry<PMPI_File_sync, rescue>::call(fh);
}

int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  return Entry<PMPI_File_preallocate, rescue>::call(fh, size);
}

int MPI_File_set_atomicity(MPI_File fh, int flag) {
  return Entry<PMPI_File_set_atomicity, rescue>::call(fh, flag);
}

int MPI_File_set_info(MPI_File fh, MPI_Info info) {
  return Entry<PMPI_File_set_info, rescue>::call(fh, info);
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  return Entry<PMPI_File_seek_shared, rescue>::call(fh, offset, whence);
}

int MPI_File_read_all_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
  return Entry<PMPI_File_read_all_begin, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype) {
  return Entry<PMPI_File_read_at_all_begin, rescue>::call(fh, offset, buf, count, datatype);
}

int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
  return Entry<PMPI_File_read_ordered_begin, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return Entry<PMPI_File_read_all_end, rescue>::call(fh, buf, status);
}

int MPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return Entry<PMPI_File_read_at_all_end, rescue>::call(fh, buf, status);
}

int MPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
  return Entry<PMPI_File_read_ordered_end, rescue>::call(fh, buf, status);
}

int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
  return Entry<PMPI_File_write_all_begin, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                MPI_Datatype datatype) {
  return Entry<PMPI_File_write_at_all_begin, rescue>::call(fh, offset, buf, count, datatype);
}

int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
  return Entry<PMPI_File_write_ordered_begin, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return Entry<PMPI_File_write_all_end, rescue>::call(fh, buf, status);
}

int MPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return Entry<PMPI_File_write_at_all_end, rescue>::call(fh, buf, status);
}

int MPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return Entry<PMPI_File_write_ordered_end, rescue>::call(fh, buf, status);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return Entry<PMPI_File_read_all_c, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Status* status) {
  return Entry<PMPI_File_read_at_all_c, rescue>::call(fh, offset, buf, count, datatype, status);
}

int MPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Status* status) {
  return Entry<PMPI_File_read_ordered_c, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Status* status) {
  return Entry<PMPI_File_write_all_c, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count,
                            MPI_Datatype datatype, MPI_Status* status) {
  return Entry<PMPI_File_write_at_all_c, rescue>::call(fh, offset, buf, count, datatype, status);
}

int MPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Status* status) {
  return Entry<PMPI_File_write_ordered_c, rescue>::call(fh, buf, count, datatype, status);
}

int MPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return Entry<PMPI_File_read_all_begin_c, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                 MPI_Datatype datatype) {
  return Entry<PMPI_File_read_at_all_begin_c, rescue>::call(fh, offset, buf, count, datatype);
}

int MPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return Entry<PMPI_File_read_ordered_begin_c, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return Entry<PMPI_File_write_all_begin_c, rescue>::call(fh, buf, count, datatype);
}

int MPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count,
                                  MPI_Datatype datatype) {
  return Entry<PMPI_File_write_at_all_begin_c, rescue>::call(fh, offset, buf, count, datatype);
}

int MPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return Entry<PMPI_File_write_ordered_begin_c, rescue>::call(fh, buf, count, datatype);
}

#endif

} // extern "C"
