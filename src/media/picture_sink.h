// SPDX-License-Identifier: Apache-2.0
// Sinks of still pictures: one file, stdout, or a numbered sequence of files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "media/picture.h"
#include "media/sequence.h"
#include "media/sink.h"

namespace weft::media {

// `format` as PictureFormatByEnding() gives it. With a pattern every frame becomes the file of its number.
Result<std::unique_ptr<Sink>> MakePictureSink(const std::string& spec, const std::string& format, std::optional<SequencePattern> pattern,
                                              SinkOptions options);

}  // namespace weft::media
