# SPDX-License-Identifier: Apache-2.0
"""The weft command as its users meet it: exit codes, one sentence an error, whole files or none.

Environment: WEFT (the command), WEFT_TEST_PLUGINS (folder with misbehave.wasm), WEFT_WASM_TOOLS.
"""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib

os.environ.pop("XDG_RUNTIME_DIR", None)  # servers have none; weft is to be quiet about it

WEFT = os.environ["WEFT"]
PLUGINS = pathlib.Path(os.environ["WEFT_TEST_PLUGINS"])
WASM_TOOLS = os.environ["WEFT_WASM_TOOLS"]
MISBEHAVE = str(PLUGINS / "misbehave.wasm")


def png(width, height, pixel=lambda x, y: (x * 7 % 256, y * 5 % 256, 99, 255)):
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in pixel(x, y)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def png_pixels(data):
    """Rows of an 8-bit RGB or RGBA picture, unfiltered."""
    at, idat = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and color in (2, 6), (depth, color)
            channels = 4 if color == 6 else 3
        elif kind == b"IDAT":
            idat += body
        at += length + 12
    raw, stride, rows, last = zlib.decompress(idat), width * channels, [], bytes(width * channels)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = last[i], last[i - channels] if i >= channels else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(bytes(line))
        last = bytes(line)
    return width, height, channels, rows


def y4m(width, height, frames):
    size = width * height * 3 // 2
    return b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height) + b"".join(
        b"FRAME\n" + bytes([n * 40 % 256]) * size for n in range(frames)
    )


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "in.png").write_bytes(png(16, 9))

    def weft(self, *arguments, stdin=None):
        return subprocess.run([WEFT, *arguments], cwd=self.folder, input=stdin, capture_output=True, timeout=240)

    def fails(self, code, parts, *arguments, lines=1, stdin=None):
        """The command ends with `code`, says one sentence that has all of `parts`, and leaves nothing behind."""
        before = sorted(p.name for p in self.folder.iterdir())
        done = self.weft(arguments[0], "--quiet", *arguments[1:], stdin=stdin)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        self.assertTrue(text.startswith("weft: "), text)
        for part in [parts] if isinstance(parts, str) else parts:
            self.assertIn(part, text)
        if lines:
            self.assertEqual(text.count("\n"), lines, text)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before, text)
        return text

    def run_in_png(self, plugin):
        return ["run", "in.png", "-p", plugin, "-o", "out.png"]

    def wasm(self, name, wat):
        (self.folder / (name + ".wat")).write_text(wat)
        subprocess.run([WASM_TOOLS, "parse", name + ".wat", "-o", name], cwd=self.folder, check=True)
        return name


class Inputs(CliTest):
    def test_a_missing_file_is_named(self):
        self.fails(3, "'nowhere.png'", "run", "nowhere.png", "-o", "out.png")

    def test_a_truncated_picture_is_refused(self):
        (self.folder / "cut.png").write_bytes(png(64, 64)[:200])
        self.fails(2, "cut.png", "run", "cut.png", "-p", MISBEHAVE, "-o", "out.png")

    def test_a_file_that_is_no_picture_is_refused(self):
        (self.folder / "text.png").write_text("not a picture\n")
        self.fails(2, "text.png", "run", "text.png", "-o", "out.png")

    def test_frames_that_are_not_there_are_named(self):
        for n in (1, 2, 4):
            (self.folder / f"s{n:03d}.png").write_bytes(png(8, 8))
        (self.folder / "d").mkdir()
        done = self.weft("run", "s%03d.png", "-p", MISBEHAVE, "-o", "d/o%03d.png", "--frames", "1-4", "--quiet")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"3", done.stderr)


class Plugins(CliTest):
    def test_a_missing_plugin_is_named(self):
        self.fails(3, "'nowhere.wasm'", *self.run_in_png("nowhere.wasm"))

    def test_a_file_that_is_no_wasm_is_refused(self):
        (self.folder / "text.wasm").write_text("#!/bin/sh\necho hello\n")
        self.fails(2, "text.wasm", *self.run_in_png("text.wasm"))

    def test_a_truncated_component_is_refused(self):
        (self.folder / "cut.wasm").write_bytes(pathlib.Path(MISBEHAVE).read_bytes()[:5000])
        self.fails(2, "cut.wasm", *self.run_in_png("cut.wasm"))

    def test_a_core_module_is_told_from_a_component(self):
        self.fails(2, ["core.wasm", "core WebAssembly module", "component"], *self.run_in_png(self.wasm("core.wasm", "(module)")))

    def test_a_component_without_the_world_is_refused(self):
        self.fails(2, ["empty.wasm", "weft:plugin"], *self.run_in_png(self.wasm("empty.wasm", "(component)")))

    def test_an_import_that_is_not_granted_is_named(self):
        # A good plugin that wants one thing more; a component's imports may stand at its end.
        wat = subprocess.run([WASM_TOOLS, "print", MISBEHAVE], capture_output=True, text=True, check=True).stdout.rstrip()
        name = self.wasm("files.wasm", wat[:-1] + '(import "wasi:filesystem/preopens@0.2.0" (instance (export "f" (func)))))')
        self.fails(2, ["files.wasm", "wasi:filesystem/preopens"], *self.run_in_png(name))

    def test_the_gpu_can_be_denied(self):
        self.fails(2, ["wasi:webgpu", "gpu"], *self.run_in_png(MISBEHAVE), "--deny", "gpu")

    def test_an_unknown_parameter_gets_a_suggestion(self):
        self.fails(3, ["node 'misbehave'", "'levell'", "did you mean 'level'?"], *self.run_in_png(MISBEHAVE + ":levell=1"))

    def test_a_value_out_of_range_is_told_with_its_range(self):
        self.fails(2, ["'level'", "1.5", "0", "1"], *self.run_in_png(MISBEHAVE + ":level=1.5"))

    def test_a_value_of_another_type_is_refused(self):
        self.fails(2, ["'level'", "much", "number"], *self.run_in_png(MISBEHAVE + ":level=much"))

    def test_an_unknown_choice_gets_a_suggestion(self):
        self.fails(2, ["'how'", "'trapp'", "did you mean 'trap'?"], *self.run_in_png(MISBEHAVE + ":how=trapp"))

    def test_an_input_number_that_is_not_there_is_refused(self):
        self.fails(3, "#3", *self.run_in_png(MISBEHAVE + ":other=#3"))

    def test_a_node_that_is_not_there_is_refused(self):
        self.fails(3, "'nobody'", *self.run_in_png(MISBEHAVE), "-o", "x.png=nobody")


class Faults(CliTest):
    def test_a_trap_names_node_and_function(self):
        self.fails(8, ["node 'misbehave'", "unreachable"], *self.run_in_png(MISBEHAVE + ":how=trap"), lines=0)

    def test_an_error_of_the_plugin_is_told(self):
        self.fails(8, ["node 'misbehave'", "the moon is full"], *self.run_in_png(MISBEHAVE + ":how=error"))

    def test_a_webgpu_error_fails_the_node(self):
        self.fails(8, ["node 'misbehave'", "size"], *self.run_in_png(MISBEHAVE + ":how=gpu-error"), lines=0)

    def test_a_wgsl_error_shows_the_line_with_a_caret(self):
        text = self.fails(8, ["node 'misbehave'", "raduis"], *self.run_in_png(MISBEHAVE + ":how=wgsl"), lines=0)
        self.assertRegex(text, r"\n *(\d+ *[|│])? *return raduis;\n[ |│]*\^")

    def test_gpu_memory_over_the_quota_fails_the_node(self):
        self.fails(6, "node 'misbehave'", *self.run_in_png(MISBEHAVE + ":how=gpu-memory"), "--max-gpu-memory", "64M", lines=0)

    def test_gpu_objects_over_the_quota_fail_the_node(self):
        self.fails(6, "node 'misbehave'", *self.run_in_png(MISBEHAVE + ":how=gpu-objects"), "--max-gpu-objects", "100", lines=0)

    def test_other_limits_fail_the_node_too(self):
        for limit, value in (("gpu-shader", "10"), ("gpu-shaders", "10"), ("gpu-compile-time", "0.001ms"), ("gpu-bindings", "1")):
            with self.subTest(limit):
                self.fails(6, ["node 'misbehave'", "--max-" + limit], *self.run_in_png(MISBEHAVE), "--max-" + limit, value, lines=0)

    def test_memory_over_the_quota_fails_the_node(self):
        text = self.fails(8, "node 'misbehave'", *self.run_in_png(MISBEHAVE + ":how=memory"), "--max-memory", "16M", lines=0)
        self.assertIn("memory", text)

    def test_a_plugin_that_hangs_runs_out_of_time(self):
        self.fails(8, ["node 'misbehave'", "did not finish", "500 ms"], *self.run_in_png(MISBEHAVE + ":how=hang"), "--max-time", "500ms", lines=0)

    def test_a_wgsl_plugin_with_a_mistake_is_told_with_file_and_line(self):
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "plugin.json").write_text(
            '{"weft-wgsl": 1, "id": "broken", "inputs": [{"id": "input"}], "outputs": [{"id": "output"}], "shader": "s.wgsl",'
            ' "passes": [{"entry": "main", "reads": ["input"], "writes": ["output"]}]}'
        )
        (folder / "s.wgsl").write_text("@compute @workgroup_size(8, 8) fn main() {\n  let x = raduis;\n}\n")
        done = self.weft(*self.run_in_png("broken"), "--quiet")
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 2, text)
        self.assertIn("broken/s.wgsl", text)
        self.assertRegex(text, r":2:11\b")
        self.assertIn("let x = raduis;", text)
        self.assertIn("^", text)
        self.assertFalse((self.folder / "out.png").exists())


class Outputs(CliTest):
    def test_an_output_that_exists_is_refused_and_kept(self):
        (self.folder / "out.png").write_text("mine")
        self.fails(2, ["'out.png'", "--overwrite"], *self.run_in_png(MISBEHAVE))
        self.assertEqual((self.folder / "out.png").read_text(), "mine")
        done = self.weft(*self.run_in_png(MISBEHAVE), "--overwrite", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out.png").read_bytes().startswith(b"\x89PNG"))

    def test_an_output_folder_that_is_not_there_is_named(self):
        self.fails(3, "nowhere", "run", "in.png", "-p", MISBEHAVE, "-o", "nowhere/out.png")

    def test_an_output_that_cannot_be_written_is_named(self):
        self.fails(4, "/proc/out.png", "run", "in.png", "-p", MISBEHAVE, "-o", "/proc/out.png")

    def test_many_frames_into_one_picture_are_refused(self):
        (self.folder / "in.y4m").write_bytes(y4m(16, 16, 3))
        self.fails(2, ["out.png", "%"], "run", "in.y4m", "-p", MISBEHAVE, "-o", "out.png")

    def test_an_unknown_format_is_refused(self):
        self.fails(2, "out.xyz", "run", "in.png", "-p", MISBEHAVE, "-o", "out.xyz")

    def test_a_wrong_encoder_option_is_refused_with_the_valid_ones(self):
        self.fails(2, ["sharpness"], "run", "in.png", "-p", MISBEHAVE, "-o", "out.png:sharpness=3")

    def test_a_fault_in_a_later_frame_leaves_no_clip(self):
        (self.folder / "in.y4m").write_bytes(y4m(16, 16, 8))
        self.fails(8, "node 'misbehave'", "run", "in.y4m", "-p", MISBEHAVE + ":how=error,at=5", "-o", "out.mkv:codec=ffv1")


class Good(CliTest):
    def test_a_picture_comes_through_unchanged(self):
        done = self.weft(*self.run_in_png(MISBEHAVE + ':level=0..1,tint=#ff8000c0,label="a, b"'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(png_pixels((self.folder / "out.png").read_bytes())[3], png_pixels((self.folder / "in.png").read_bytes())[3])
        text = done.stderr.decode()
        self.assertRegex(text, r"(?m)^node +frames +CPU")
        self.assertRegex(text, r"(?m)^misbehave +1 +[\d.]+ ms")

    def test_json_lines_tell_progress_and_the_end(self):
        (self.folder / "in.y4m").write_bytes(y4m(16, 16, 4))
        done = self.weft("run", "in.y4m", "-p", MISBEHAVE, "-o", "o%d.png", "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(events[-1]["event"], "done")
        self.assertEqual(events[-1]["frames"], 4)
        self.assertIn("misbehave", [n["id"] for n in events[-1]["nodes"]])
        uses = {u["limit"]: u for n in events[-1]["nodes"] if n["id"] == "misbehave" for u in n["uses"]}
        self.assertGreater(uses["memory"]["used"], 65535)
        self.assertEqual(uses["memory"]["most"], 1 << 30)
        self.assertGreater(uses["time"]["used"], 0)
        self.assertGreaterEqual(uses["gpu-pipelines"]["used"], 1)
        self.assertGreaterEqual(uses["gpu-bindings"]["used"], 2)
        self.assertIn("progress", [e["event"] for e in events])
        self.assertEqual(sorted(p.name for p in self.folder.glob("o*.png")), ["o0.png", "o1.png", "o2.png", "o3.png"])

    def test_json_tells_errors_too(self):
        done = self.weft("run", "nowhere.png", "-o", "out.png", "--json", "--quiet")
        event = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((event["event"], event["kind"], event["exit"], done.returncode), ("error", "not-found", 3, 3))

    def test_frames_choose(self):
        (self.folder / "in.y4m").write_bytes(y4m(16, 16, 9))
        done = self.weft("run", "in.y4m", "-p", MISBEHAVE, "-o", "o%d.png", "--frames", "2-6x2", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.glob("o*.png")), ["o2.png", "o4.png", "o6.png"])

    def test_size_and_fit_give_the_output_its_size(self):
        done = self.weft(*self.run_in_png(MISBEHAVE), "--size", "20x30", "--fit", "cover", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(png_pixels((self.folder / "out.png").read_bytes())[:2], (20, 30))

    def test_pipes_at_both_ends(self):
        done = self.weft("run", "-:format=y4m", "-p", MISBEHAVE, "-o", "-:format=y4m", "--quiet", stdin=y4m(16, 16, 3))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(b"YUV4MPEG2 "))
        self.assertEqual(done.stdout.count(b"FRAME\n"), 3)

    def test_inspect_shows_ports_parameters_imports_and_hash(self):
        done = self.weft("inspect", MISBEHAVE)
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("org.weft.test.misbehave 1.0.0", "sha256", "level", "0 to 1", "gpu-error", "wasi:webgpu/webgpu@0.3.0-rc.2"):
            self.assertIn(part, text)
        details = json.loads(self.weft("inspect", MISBEHAVE, "--json").stdout)
        self.assertEqual(details["parameters"][2]["id"], "level")
        self.assertRegex(details["sha256"], "^[0-9a-f]{64}$")

    def test_inspect_shows_the_limits_in_force(self):
        done = self.weft("inspect", MISBEHAVE, "--max-gpu-pipelines", "3", "--max-time", "1.5", "--max-fuel", "1000000")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        for row in (r"gpu-pipelines +3 ", r"time +1\.50 s ", r"fuel +1000000 ", r"memory +1 GiB ", r"gpu-time +60\.0 s "):
            self.assertRegex(text, "(?m)^  " + row)
        limits = {l["name"]: l["value"] for l in json.loads(self.weft("inspect", MISBEHAVE, "--json").stdout)["limits"]}
        self.assertEqual((limits["fuel"], limits["gpu-pipelines"], limits["gpu-memory"]), (None, 2000, 8 << 30))
        self.fails(2, "--max-gpu-objects is '0'", "inspect", MISBEHAVE, "--max-gpu-objects", "0")

    def test_verbose_runs_tell_what_plugins_used_of_their_limits(self):
        done = self.weft(*self.run_in_png(MISBEHAVE), "--verbose")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"(?m)^misbehave +gpu-objects +\d+ +65536$")

    def test_gpus_marks_the_one_that_is_taken(self):
        done = self.weft("gpus", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(a["chosen"] for a in json.loads(done.stdout)), 1)

    def test_exec_calls_exports_in_one_instance(self):
        name = self.wasm(
            "counter.wasm",
            """(component
  (core module $m
    (global $n (mut i32) (i32.const 0))
    (func (export "step") (param i32) (result i32) (global.set $n (i32.add (global.get $n) (local.get 0))) (global.get $n)))
  (core instance $i (instantiate $m))
  (func (export "step") (param "by" s32) (result s32) (canon lift (core func $i "step"))))""",
        )
        done = self.weft("exec", name, "--invoke", "step", "5", "--invoke", "step", "-2")
        self.assertEqual((done.returncode, done.stdout), (0, b"5\n3\n"), done.stderr)
        self.fails(2, "'stop'", "exec", name, "--invoke", "stop")
        self.fails(2, "step", "exec", name, "--invoke", "step", '"x"')

    def test_exec_is_a_filter_of_bytes(self):
        data = bytes(range(256)) * 100 + b"\r\n\0"
        done = self.weft("exec", str(PLUGINS / "filter.wasm"), stdin=data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout, bytes(255 - b for b in data))

    def test_exec_gives_the_network_where_it_is_granted(self):
        name = self.wasm(
            "net.wasm",
            """(component
  (import "wasi:sockets/network@0.2.0" (instance $net (export "network" (type (sub resource)))))
  (alias export $net "network" (type $network))
  (import "wasi:sockets/instance-network@0.2.0" (instance $own
    (alias outer 1 $network (type $n))
    (export "network" (type $same (eq $n)))
    (export "instance-network" (func (result (own $same))))))
  (core func $get (canon lower (func $own "instance-network")))
  (core func $drop (canon resource.drop $network))
  (core module $m
    (import "" "get" (func $get (result i32)))
    (import "" "drop" (func $drop (param i32)))
    (func (export "go") (result i32) (call $drop (call $get)) (i32.const 7)))
  (core instance $i (instantiate $m (with "" (instance (export "get" (func $get)) (export "drop" (func $drop))))))
  (func (export "go") (result u32) (canon lift (core func $i "go"))))""",
        )
        self.fails(2, ["wasi:sockets", "network"], "exec", name, "--invoke", "go")
        done = self.weft("exec", "--grant", "network", name, "--invoke", "go")
        self.assertEqual((done.returncode, done.stdout), (0, b"7\n"), done.stderr)

    def test_exec_gives_what_is_granted(self):
        filer, folder = str(PLUGINS / "filer.wasm"), self.folder / "data"
        folder.mkdir()
        (folder / "a.txt").write_bytes(b"\0content\n")
        (self.folder / "secret.txt").write_text("secret")
        read, write = ["--grant", "files=data:/in"], ["--grant", f"write={folder}"]

        def result(*arguments, stdin=b""):
            done = self.weft("exec", *arguments, stdin=stdin)
            return done.returncode, done.stdout

        self.fails(2, ["wasi:filesystem", "'files'"], "exec", filer, "cat", "a.txt")
        self.assertEqual(result(*read, filer, "cat", "a.txt"), (0, b"\0content\n"))
        self.assertEqual(result(*read, filer, "cat", "../secret.txt"), (1, b""))
        self.assertEqual(result(*read, filer, "put", "new.txt", stdin=b"x"), (1, b""))
        self.assertFalse((folder / "new.txt").exists())
        self.assertEqual(result(*write, filer, "put", "new.txt", stdin=b"x" * 50000), (0, b""))
        self.assertEqual((folder / "new.txt").read_bytes(), b"x" * 50000)
        os.environ["WEFT_TEST_OWN"] = "mine"
        plain = str(PLUGINS / "filter.wasm")
        self.assertEqual(result(plain, "env", "WEFT_TEST_OWN"), (1, b""))
        self.assertEqual(result("--grant", "env=WEFT_TEST_OWN", plain, "env", "WEFT_TEST_OWN"), (0, b"mine"))
        self.assertEqual(result("--grant", "env=A=b=c", "--grant", "env=D=", plain, "env", "A"), (0, b"b=c"))
        self.fails(3, "WEFT_TEST_NONE", "exec", "--grant", "env=WEFT_TEST_NONE", plain)
        self.fails(3, "'nowhere', which is no folder", "exec", "--grant", "files=nowhere", filer)
        self.fails(2, "'clocks' is no grant", "exec", "--grant", "clocks", plain)
        self.fails(2, "names no folder", "exec", "--grant", "files=:/in", plain)


class Signals(CliTest):
    def endless(self, number):
        process = subprocess.Popen(
            [WEFT, "run", "-:format=y4m", "-p", MISBEHAVE, "-o", "o%06d.png", "--json", "--quiet"],
            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        header, frame = y4m(64, 64, 1).split(b"FRAME\n")
        sent = 0
        try:
            process.stdin.write(header)
            while process.poll() is None and sent < 100000:
                process.stdin.write(b"FRAME\n" + frame)
                process.stdin.flush()
                sent += 1
                if len(list(self.folder.glob("o*.png"))) >= 3:
                    break
            # As a terminal does it: to the whole group.
            os.killpg(process.pid, number)
            while process.poll() is None:
                process.stdin.write(b"FRAME\n" + frame)
                process.stdin.flush()
        except BrokenPipeError:
            pass
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        code = process.wait(timeout=60)
        text = process.stderr.read().decode()
        process.stdout.close(), process.stderr.close()
        self.assertEqual(code, 128 + number, text)
        pictures = list(self.folder.glob("o*.png"))
        self.assertGreaterEqual(len(pictures), 3)
        for picture in pictures:
            png_pixels(picture.read_bytes())
        self.assertEqual({p.name for p in self.folder.iterdir()} - {p.name for p in pictures}, {"in.png"})

    def test_ctrl_c_leaves_whole_files(self):
        self.endless(signal.SIGINT)

    def test_sigterm_leaves_whole_files(self):
        self.endless(signal.SIGTERM)


class Manual(unittest.TestCase):
    def test_every_option_is_in_help_manual_and_completion(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        texts = {p: (root / p).read_text().replace("\\-", "-") for p in ("docs/man/weft.1", "docs/reference/cli.md", "src/cli/completions/weft.bash")}
        found = set()
        for command in ("run", "exec", "inspect", "gpus"):
            help_text = subprocess.run([WEFT, command, "--help"], capture_output=True, text=True, check=True).stdout
            found |= set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", help_text))
        self.assertGreater(len(found), 15)
        for option in sorted(found - {"--help"}):
            for path, text in texts.items():
                self.assertIn(option, text, f"{path} lacks {option}")

    def test_version(self):
        self.assertRegex(subprocess.run([WEFT, "--version"], capture_output=True, text=True, check=True).stdout, r"^weft \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
