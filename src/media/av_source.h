// SPDX-License-Identifier: Apache-2.0
// Sources through libav: every container and codec that it decodes, one picture stream of it.
#pragma once

#include <memory>
#include <string>

#include "media/byte_stream.h"
#include "media/source.h"

namespace weft::media {

// Options: format (a demuxer's name), orientation, errors (stop or ignore).
Result<std::unique_ptr<Source>> OpenAvSource(std::unique_ptr<ByteStream> bytes, SourceOptions options);

}  // namespace weft::media
