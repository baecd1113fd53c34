// SPDX-License-Identifier: Apache-2.0
// A command of WASI 0.2. Without arguments: standard input to standard output, every byte turned over. `env NAME`: the variable's value.
// With FILES also `cat NAME` and `put NAME`: a file of the first folder to standard output, standard input into a file there.
#ifdef FILES
#include <filer.h>
#define WORLD(name) filer_##name
#else
#include <filter.h>
#define WORLD(name) filter_##name
#endif
#include <string.h>

typedef WORLD(list_u8_t) Bytes;

static wasi_io_streams_borrow_input_stream_t in;
static wasi_io_streams_borrow_output_stream_t out;

static bool Is(WORLD(string_t) text, const char* word) { return text.len == strlen(word) && memcmp(text.ptr, word, text.len) == 0; }

static bool Write(Bytes bytes) {
  wasi_io_streams_stream_error_t error;
  while (bytes.len > 0) {
    Bytes part = {bytes.ptr, bytes.len < 4096 ? bytes.len : 4096};
    if (!wasi_io_streams_method_output_stream_blocking_write_and_flush(out, &part, &error)) return false;
    bytes.ptr += part.len;
    bytes.len -= part.len;
  }
  return true;
}

// False at the end.
static bool Read(Bytes* bytes) {
  wasi_io_streams_stream_error_t error;
  return wasi_io_streams_method_input_stream_blocking_read(in, 10000, bytes, &error);
}

static bool Filter(void) {
  Bytes bytes;
  while (Read(&bytes)) {
    for (size_t i = 0; i < bytes.len; ++i) bytes.ptr[i] = (uint8_t)~bytes.ptr[i];
    if (!Write(bytes)) return false;
    WORLD(list_u8_free)(&bytes);
  }
  return true;
}

static bool Env(WORLD(string_t) name) {
  WORLD(list_tuple2_string_string_t) all;
  wasi_cli_environment_get_environment(&all);
  for (size_t i = 0; i < all.len; ++i) {
    if (all.ptr[i].f0.len == name.len && memcmp(all.ptr[i].f0.ptr, name.ptr, name.len) == 0) {
      return Write((Bytes){all.ptr[i].f1.ptr, all.ptr[i].f1.len});
    }
  }
  return false;
}

#ifdef FILES
static bool Open(WORLD(string_t) name, bool write, wasi_filesystem_types_borrow_descriptor_t* file) {
  wasi_filesystem_preopens_list_tuple2_own_descriptor_string_t folders;
  wasi_filesystem_preopens_get_directories(&folders);
  if (folders.len == 0) return false;
  wasi_filesystem_types_own_descriptor_t opened;
  wasi_filesystem_types_error_code_t error;
  if (!wasi_filesystem_types_method_descriptor_open_at((wasi_filesystem_types_borrow_descriptor_t){folders.ptr[0].f0.__handle}, 0, &name,
                                                       write ? 1 : 0, write ? 2 : 1, &opened, &error)) {
    return false;
  }
  *file = wasi_filesystem_types_borrow_descriptor(opened);
  return true;
}

static bool Cat(WORLD(string_t) name) {
  wasi_filesystem_types_borrow_descriptor_t file;
  wasi_filesystem_types_error_code_t error;
  WORLD(tuple2_list_u8_bool_t) read;
  if (!Open(name, false, &file)) return false;
  if (!wasi_filesystem_types_method_descriptor_read(file, 1 << 20, 0, &read, &error)) return false;
  return Write(read.f0);
}

static bool Put(WORLD(string_t) name) {
  wasi_filesystem_types_borrow_descriptor_t file;
  wasi_filesystem_types_error_code_t error;
  if (!Open(name, true, &file)) return false;
  Bytes bytes;
  uint64_t at = 0, wrote;
  while (Read(&bytes)) {
    if (!wasi_filesystem_types_method_descriptor_write(file, &bytes, at, &wrote, &error)) return false;
    at += wrote;
  }
  return true;
}
#endif

bool exports_wasi_cli_run_run(void) {
  in = wasi_io_streams_borrow_input_stream((wasi_io_streams_own_input_stream_t){wasi_cli_stdin_get_stdin().__handle});
  out = wasi_io_streams_borrow_output_stream((wasi_io_streams_own_output_stream_t){wasi_cli_stdout_get_stdout().__handle});
  WORLD(list_string_t) arguments;
  wasi_cli_environment_get_arguments(&arguments);
  if (arguments.len == 0) return Filter();
  if (arguments.len != 2) return false;
  if (Is(arguments.ptr[0], "env")) return Env(arguments.ptr[1]);
#ifdef FILES
  if (Is(arguments.ptr[0], "cat")) return Cat(arguments.ptr[1]);
  if (Is(arguments.ptr[0], "put")) return Put(arguments.ptr[1]);
#endif
  return false;
}
