# SPDX-License-Identifier: Apache-2.0
"""docs/guide/write-a-plugin.md shows the files of docs/guide/vignette, piece by piece and unchanged."""

import pathlib
import re
import unittest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide"


class Guide(unittest.TestCase):
    def pieces(self, language):
        text = (GUIDE / "write-a-plugin.md").read_text()
        return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)

    def squeeze(self, text):
        return re.sub(r"\n+", "\n", text).strip()

    def test_the_c_of_the_guide_is_the_file(self):
        self.assertEqual(self.squeeze("\n".join(self.pieces("c"))), self.squeeze((GUIDE / "vignette/vignette.c").read_text()))

    def test_the_wgsl_of_the_guide_is_the_file(self):
        self.assertEqual(self.squeeze("\n".join(self.pieces("wgsl"))), self.squeeze((GUIDE / "vignette/vignette.wgsl").read_text()))


if __name__ == "__main__":
    unittest.main()
