// SPDX-License-Identifier: Apache-2.0
// Sources of still pictures: one file, or a numbered sequence of them.
#pragma once

#include <memory>

#include "media/byte_stream.h"
#include "media/sequence.h"
#include "media/source.h"

namespace weft::media {

// One picture; a range of frames does not concern it. It is decoded at once.
Result<std::unique_ptr<Source>> OpenPicture(std::unique_ptr<ByteStream> bytes, SourceOptions options);
// All files that match, or those of the range; a number that is missing between them is an error that names it.
Result<std::unique_ptr<Source>> OpenSequence(const std::string& spec, SequencePattern pattern, SourceOptions options);

}  // namespace weft::media
