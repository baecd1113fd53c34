# SPDX-License-Identifier: Apache-2.0
"""Installs the build into a folder, builds examples/embed-c against that alone, and runs it; the installed command must run too.

Environment: WEFT_BUILD (build tree), WEFT_PLUGIN (gaussian-blur.wasm), WEFT_PARTS (wgpu-native below it).
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("XDG_RUNTIME_DIR", "/nonexistent")  # or the GPU's driver complains where there is no desktop
BUILD = os.environ["WEFT_BUILD"]
GPU = pathlib.Path(os.environ["WEFT_PARTS"]) / "wgpu-native"


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Embed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def test_the_example_is_at_most_80_lines(self):
        self.assertLessEqual((ROOT / "examples/embed-c/main.c").read_text().count("\n"), 80)

    def test_the_example_builds_and_runs_on_both_devices(self):
        build = self.folder / "build"
        library = next((GPU / "lib").glob("libwgpu_native*"))
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples/embed-c", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DWEBGPU_INCLUDE_DIR={GPU / 'include'}", f"-DWEBGPU_LIBRARY={library}")
        run("cmake", "--build", build)
        text = run(build / "embed-c", os.environ["WEFT_PLUGIN"])
        self.assertIn("this program's device", text)

    def test_the_installed_command_and_worker_run(self):
        self.assertIn("weft 0.", run(self.prefix / "bin/weft", "--version"))
        self.assertTrue(list(self.prefix.glob("libexec/weft-worker")))
        self.assertTrue((self.prefix / "share/man/man1/weft.1").exists())

    def test_the_library_exports_weft_and_nothing_else(self):
        library = next(self.prefix.glob("lib*/**/libweft.so"))
        names = [line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()]
        self.assertGreater(len(names), 50)
        self.assertEqual([n for n in names if not n.startswith("weft") and n != "WEFT_0"], [])

    def test_pkg_config_finds_it(self):
        pc = next(self.prefix.glob("lib*/**/weft.pc")).parent
        text = run("pkg-config", "--cflags", "--libs", "weft", env={**os.environ, "PKG_CONFIG_PATH": str(pc)})
        self.assertIn("-lweft", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
