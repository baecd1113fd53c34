// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

namespace weft::cli {

const char* const kMainFooter = R"(
Examples:
  weft run photo.jpg -p gaussian-blur.wasm:radius=8 -o soft.png
  weft run in.mp4 -p grade.wasm:exposure=0.5,lut=@warm.cube -o out.mp4
  weft inspect gaussian-blur.wasm
  weft exec math.wasm --invoke add 1 2

'weft COMMAND --help' tells more.

Exit codes:
  0  all went well
  1  a fault of weft itself
  2  wrong command line, parameter, graph or content of a file
  3  a file, plugin, parameter or GPU is not there
  4  reading or writing failed
  5  this build, GPU library or device cannot do it
  6  out of memory, or a plugin is over its quota
  7  the GPU device was lost
  8  a plugin trapped, ran out of time, returned an error or broke its contract
  128 + n  ended by signal n (130: Ctrl-C))";

const char* const kRunFooter = R"(
A picture flows from the first INPUT through the plugins in the order given into the outputs.
An INPUT that ends in .wasm is a program written for a window (wasi-gfx:surface); what it shows are the
frames: one, or those of --frames. scene.wasm:size=640x480,rate=25,events=@clicks.json

PLUGIN[@id][:name=value,...]
  PLUGIN is a .wasm file, or the folder or plugin.json of a WGSL plugin; @id names the node
  (default: the file's name without its ending).
  name=value sets a parameter:
    radius=4.5   on=true   mode=screen   a number, a boolean, a choice or text
    tint=#ff8000c0                       a colour, sRGB with alpha
    center=(0.5,0.25)                    a point or vector
    lut=@warm.cube                       the content of a file
    text="a, b"                          quotes keep commas
    radius=0..64                         from 0 at the first frame to 64 at the last
  name=#N or name=id or name=id.port binds an input of the plugin: to the Nth INPUT, counted from 1,
  or to another node. An input that nothing binds takes the node before.

OUTPUT[=id.port][:option=value,...]
  The file's ending chooses the format; options go to the encoder: out.mp4:codec=libx265,crf=16.
  Many frames as pictures need a %d: frame.%04d.png. '-' is standard output (give format=).
  =id or =id.port takes another node's output than the last plugin's first.

Examples:
  weft run in.mp4 -p gaussian-blur.wasm:radius=0..64 -o frame.%03d.png
  weft run fg.png bg.png mask.png -p composite.wasm@c:background=#2,mask=#3,mode=screen -o out.png
  weft run in.mp4 -p pixel-sort.wasm@s -o out.mp4 -o hist.png=s.histogram --frames 0
  weft run shot.%04d.png -p grade.wasm -o graded.%04d.png --frames 1001-1100 --overwrite
  weft run in.mp4 -p grade.wasm -o small.mp4:crf=16 --size 1280x720 --fit cover
  weft run scene.wasm:size=640x480 --frames 0-119 -o out.mp4
  ffmpeg -i in.mkv -f yuv4mpegpipe - | weft run -:format=y4m -p grade.wasm -o out.mp4)";

const char* const kExecFooter = R"(
Arguments and results are WAVE text: 1, -0.5, true, "text", [1, 2], {x: 1, y: 2}, some(1), ok("yes").
A function of an exported interface is named in full: pkg:name/interface#function.
Without --invoke the component must be a command (wasi:cli/run); its exit code is weft's.
Its standard input and output are weft's, bytes and all. It gets no files, no network and no environment
variables but what --grant gives.

Examples:
  weft exec math.wasm --invoke add 1 2
  weft exec --grant files=pictures:/in --grant env=LANG list.wasm /in < names.txt
  weft exec counter.wasm --invoke step --invoke step --invoke total
  weft exec --deny gpu tool.wasm one -- --two)";

const char* const kInspectFooter = R"(
Loads the plugin, checks it and asks it to describe itself. Needs no GPU.

Examples:
  weft inspect gaussian-blur.wasm
  weft inspect plugins/glow --json)";

const char* const kGpusFooter = R"(
The one that '*' marks is the one that weft would take; --gpu takes a number of this list or part of a name.)";

}  // namespace weft::cli
