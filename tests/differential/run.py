# SPDX-License-Identifier: Apache-2.0
"""Runs the same cases of WebGPU on weft and in headless Chromium, and fails where weft does not do what the specification demands, or where
the two differ and known-differences.json does not say why. README.md says what a case is.

run.py --weft BIN --guest WASM --work DIR [--only TEXT]     TEXT: only cases whose "group: name" has it; nothing is counted then
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MIN_CASES, MIN_A_GROUP, MAX_DIFFERENCES = 150, 10, 10
FORMS = {"u8": "B", "u16": "H", "u32": "I", "f32": "f"}
SECTION = re.compile(r"^§\d+(\.\d+)* \S")


class CaseError(Exception):
    """A case that is not written as it must be."""


def hex_of(value):
    """{"u32": [1]} as hexadecimal digits, or None where it is not of that form."""
    if isinstance(value, dict) and len(value) == 1:
        (form, numbers), = value.items()
        if form in FORMS:
            return struct.pack(f"<{len(numbers)}{FORMS[form]}", *numbers).hex()
    return None


def plain_argument(value):
    if (digits := hex_of(value)) is not None:
        return {"hex": digits}
    if isinstance(value, list):
        return [plain_argument(v) for v in value]
    if isinstance(value, dict):
        return {k: "\n".join(v) if k == "code" and isinstance(v, list) else plain_argument(v) for k, v in value.items()}
    return value


def expand(calls, parts):
    """Calls with "@part" replaced by the part's calls, to any depth."""
    for call in calls:
        if isinstance(call, str):
            if call[1:] not in parts:
                raise CaseError(f"there is no part '{call}'")
            yield from expand(parts[call[1:]], parts)
        else:
            yield call


def device_calls(test):
    wanted = test.get("device", {})
    if wanted is False:
        return []
    return [["adapter = gpu.requestAdapter"], ["device = adapter.requestDevice", [wanted] if wanted else []], ["queue = device.queue"]]


def plain_case(group, test, parts):
    """A case as both runners take it, and beside it what must come of each call."""
    name = f"{group}: {test['name']}"
    if not SECTION.match(test["section"]):
        raise CaseError(f"{name}: '{test['section']}' is not a section such as '§5.1.3 Buffer Creation'")
    calls, wanted, wrong = [], [], False
    for call in (device_calls(test) + list(expand(test["calls"], parts)) * test.get("repeat", 1)):
        text, arguments, want = (call + [[], {}][len(call) - 1:])[:3] if len(call) < 3 else call
        if unknown := want.keys() - {"error", "throws", "gives"}:
            raise CaseError(f"{name}: '{text}' expects {sorted(unknown)}; only error, throws and gives are known")
        calls.append([text, plain_argument(arguments)])
        wanted.append({k: (hex_of(v) if hex_of(v) is not None else v) for k, v in want.items()})
        wrong |= "error" in want or "throws" in want or \
            ("gives" in want and (want["gives"] in ("validation", "out-of-memory", "internal") or text.endswith("gpu.requestAdapter")))
    if wrong == test["valid"]:
        raise CaseError(f"{name}: it is called {'valid' if test['valid'] else 'invalid'}, and its calls say otherwise")
    plain = {"name": name, "calls": calls}
    if "scopes" in test:
        plain["scopes"] = test["scopes"]
    return plain, wanted


def load(only):
    parts = json.loads((HERE / "parts.json").read_text())
    groups, cases, wanted = {}, {}, {}
    for file in sorted((HERE / "cases").glob("*.json")):
        data = json.loads(file.read_text())
        for test in data["cases"]:
            plain, want = plain_case(data["group"], test, parts | data.get("parts", {}))
            if plain["name"] in cases:
                raise CaseError(f"{plain['name']}: there are two cases of this name")
            if only in plain["name"]:
                cases[plain["name"]], wanted[plain["name"]] = plain, want
                groups.setdefault(data["group"], []).append((plain["name"], test))
    return groups, cases, wanted


def check_numbers(groups):
    tests = [t for group in groups.values() for _, t in group]
    for group, members in groups.items():
        if len(members) < MIN_A_GROUP:
            yield f"group '{group}' has {len(members)} cases; it must have {MIN_A_GROUP} or more"
    if len(tests) < MIN_CASES:
        yield f"there are {len(tests)} cases; there must be {MIN_CASES} or more"
    invalid = sum(not t["valid"] for t in tests)
    if 2 * invalid < len(tests):
        yield f"{invalid} of {len(tests)} cases are invalid; it must be half of them or more"


def start_chromium(cases, work):
    tools = subprocess.run([ROOT / "tools/browser-tools"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    (work / "cases.json").write_text(json.dumps(list(cases.values())))
    return subprocess.Popen([pathlib.Path(tools) / "bin/node", HERE / "chromium.mjs", tools, work / "cases.json"], stdout=subprocess.PIPE, text=True)


def lines_of(text):
    return {r["name"]: r for r in map(json.loads, text.splitlines())}


def wave_text(quoted):
    """A string as `weft exec` prints it, in WAVE."""
    known = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(?:u\{(\w+)\}|(.))", lambda m: chr(int(m[1], 16)) if m[1] else known.get(m[2], m[2]), quoted.strip()[1:-1])


def run_weft(weft, guest, group, cases):
    """The results of a group; a process each, so that one that ends takes no other's with it."""
    run = subprocess.run([weft, "exec", guest, "--invoke", "run", json.dumps(json.dumps(cases))],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        return {c["name"]: {"fault": f"weft exec ended with {run.returncode} in group '{group}': {run.stderr.strip()}"} for c in cases}
    return lines_of(wave_text(run.stdout))


def same(want, got):
    """Words are the WIT's or JavaScript's: 2d-array and d2-array are one."""
    def plain(value):
        return re.sub(r"^(\d)d|^d(\d)", r"d\1\2", value.replace("-", "")) if isinstance(value, str) else value
    return plain(want) == plain(got)


def faults(wanted, result):
    """What is not as demanded, one sentence a call, without what the implementation says."""
    if result is None:
        return ["no result came"]
    if "fault" in result:
        return [result["fault"]]
    found = []
    for (text, _), want, got in zip(result["calls"], wanted, result["outcomes"], strict=True):
        for key, name in (("error", "error"), ("throws", "exception")):
            if want.get(key) != got.get(key):
                found.append(f"'{text}': {name} {got.get(key) or 'none'}, expected {want.get(key) or 'none'}")
        if "gives" in want and not same(want["gives"], got.get("value")):
            found.append(f"'{text}': gives {json.dumps(got.get('value'))}, expected {json.dumps(want['gives'])}")
    return found


def judge(groups, cases, wanted, results):
    """Sentences of what fails, and the cases in which Chromium differs."""
    failures, differing = [], {}
    for group, members in groups.items():
        counts = {"weft": 0, "Chromium": 0}
        for name, test in members:
            for side in counts:
                result = results[side].get(name)
                if found := faults(wanted[name], result and {"calls": cases[name]["calls"], **result}):
                    counts[side] += 1
                    said = [o["message"] for o in (result or {}).get("outcomes", []) if "message" in o]
                    if side == "weft":
                        failures.append(f"weft, {name} ({test['section']}): {'; '.join(found)}" + "".join(f"\n      said: {m}" for m in said))
                    else:
                        differing[name] = f"({test['section']}): {'; '.join(found)}" + "".join(f"\n      said: {m}" for m in said)
        invalid = sum(not t["valid"] for _, t in members)
        print(f"{group:32} {len(members):3} cases, {len(members) - invalid:3} valid, {invalid:3} invalid; "
              f"other than demanded: weft {counts['weft']}, Chromium {counts['Chromium']}")
    return failures, differing


def check_differences(known, differing, names):
    by_case = {k["case"]: k for k in known}
    for name, what in differing.items():
        if name in by_case:
            print(f"\ndiffers as known: {name} {what}\n  {by_case[name]['section']}: \"{by_case[name]['sentence']}\"")
        else:
            yield f"Chromium, {name} {what}; mend the case, or list it in known-differences.json with the specification's sentence"
    for name in by_case:
        if name in names and name not in differing:
            yield f"known-differences.json lists '{name}', where Chromium no longer differs; take it out"
        elif name not in names:
            yield f"known-differences.json lists '{name}', and there is no such case"
    if len(known) > MAX_DIFFERENCES:
        yield f"known-differences.json lists {len(known)} differences; {MAX_DIFFERENCES} are allowed"
    for k in known:
        if set(k) != {"case", "section", "sentence"} or not SECTION.match(k["section"]) or not k["sentence"].strip():
            yield f"known-differences.json: '{k.get('case')}' must have a case, a section and that section's sentence, and nothing else"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weft", required=True)
    p.add_argument("--guest", required=True)
    p.add_argument("--work", required=True, type=pathlib.Path)
    p.add_argument("--only", default="")
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    try:
        groups, cases, wanted = load(a.only)
    except CaseError as e:
        sys.exit(f"differential: {e}")
    known = json.loads((HERE / "known-differences.json").read_text())
    chromium = start_chromium(cases, a.work)
    results = {"weft": {}}
    for group, members in groups.items():
        results["weft"] |= run_weft(a.weft, a.guest, group, [cases[name] for name, _ in members])
    results["Chromium"] = lines_of(chromium.communicate()[0])
    failures, differing = judge(groups, cases, wanted, results)
    if not a.only:
        failures += check_numbers(groups)
        failures += check_differences(known, differing, cases)
    else:
        failures += [f"Chromium, {name} {what}" for name, what in differing.items()]
    total = sum(map(len, groups.values()))
    invalid = sum(not t["valid"] for g in groups.values() for _, t in g)
    print(f"\n{total} cases in {len(groups)} groups, {invalid} invalid; Chromium differs in {len(differing)}, {len(known)} known")
    for f in failures:
        print(f"FAILED: {f}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
