// SPDX-License-Identifier: Apache-2.0
// Sinks through libav: one video stream and the copied sound in any container that it writes into one file.
#pragma once

#include <memory>
#include <string>

#include "media/sink.h"

namespace weft::media {

// `format` is a muxer's name, or "" to go by the name's ending.
Result<std::unique_ptr<Sink>> MakeAvSink(const std::string& spec, const std::string& format, SinkOptions options);

}  // namespace weft::media
