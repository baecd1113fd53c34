// SPDX-License-Identifier: Apache-2.0
// Video without a codec: YUV4MPEG2 (y4m) and bare planes, on files, stdin and stdout.
#pragma once

#include <memory>

#include "media/byte_stream.h"
#include "media/sink.h"
#include "media/source.h"

namespace weft::media {

Result<std::unique_ptr<Source>> OpenY4m(std::unique_ptr<ByteStream> bytes, SourceOptions options);
// size= and pix_fmt= are needed; rate= is 25 where not given.
Result<std::unique_ptr<Source>> OpenRawVideo(std::unique_ptr<ByteStream> bytes, SourceOptions options);
Result<std::unique_ptr<Sink>> MakeY4mSink(const std::string& spec, SinkOptions options);
Result<std::unique_ptr<Sink>> MakeRawVideoSink(const std::string& spec, SinkOptions options);

// The C tag of a layout in a y4m header ("420p10"); "" where it has none. 4:2:0 at 8 bits depends on the siting.
std::string Y4mTag(PixelFormat format, ChromaSiting chroma);

}  // namespace weft::media
