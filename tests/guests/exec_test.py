# SPDX-License-Identifier: Apache-2.0
"""Plain components on `weft exec`: one that computes, one that waits for what the GPU tells unasked.

Environment: WEFT (the command), WEFT_GUESTS (folder of the built guests).
"""

import os
import pathlib
import subprocess
import unittest

WEFT = os.environ["WEFT"]
GUESTS = pathlib.Path(os.environ["WEFT_GUESTS"])


class ExecTest(unittest.TestCase):
    def invoke(self, guest, *calls):
        done = subprocess.run([WEFT, "exec", str(GUESTS / guest), *calls], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_a_component_computes_with_its_own_device(self):
        lines = self.invoke("compute.wasm", "--invoke", "square", "[1, 2, 3, 1000]", "--invoke", "square", "[]", "--invoke", "calls")
        self.assertEqual(lines, ["ok([1, 4, 9, 1000000])", "ok([])", "2"])

    def test_errors_that_no_scope_catches_come_by_the_stream(self):
        (line,) = self.invoke("events.wasm", "--invoke", "uncaptured", "6")
        told = ", ".join(f'"creating gpu-buffer \'{label}\': the usage of a buffer must not be empty"' for label in "abcdef")
        self.assertEqual(line.replace("\\'", "'"), f"ok([{told}])")

    def test_the_loss_of_the_device_comes_by_the_future(self):
        lines = self.invoke("events.wasm", "--invoke", "lost", "--invoke", "lost-before")
        self.assertEqual(lines, ['ok("the plugin destroyed its device")'] * 2)


if __name__ == "__main__":
    unittest.main()
