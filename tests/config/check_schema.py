"""Checks the JSON Schema of machine files: python3 check_schema.py SCHEMA CONFIGS_FOLDER.

The shipped machines must pass, and each of a few broken copies must fail. Status 77: a module is missing.
"""

import copy
import glob
import json
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    sys.exit(77)


def broken(machine):
    """Copies of `machine` with one mistake each, by name."""
    for name, change in {
        "unknown key": lambda m: m["l2"].update(wings=2),
        "missing key": lambda m: m["sm"].pop("sub_cores"),
        "missing section": lambda m: m.pop("noc"),
        "wrong kind": lambda m: m["clocks"].update(sm_mhz="fast"),
        "wrong unit": lambda m: m["l2"].update(bytes="40MB"),
        "out of range": lambda m: m["l2"].update(partitions=3),
        "unknown word": lambda m: m["l2"].update(slice_hash="ipoly"),
        "empty list": lambda m: m["gpu"].update(sms_per_gpc=[]),
        "unknown instruction": lambda m: m["sm"]["tensor"]["instructions"].update(
            {"FFMA": {"latency_cycles": 4, "min_interval_cycles": 1}}),
        "instruction of an unknown kind": lambda m: m["sm"]["tensor"]["instructions"].update(
            {"DMMA.884": {"latency_cycles": "measured"}}),
        "shape of two numbers": lambda m: m["sm"]["tensor"].update(core="8x4"),
    }.items():
        copied = copy.deepcopy(machine)
        change(copied)
        yield name, copied


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    files = sorted(glob.glob(sys.argv[2] + "/*.yaml"))
    wrong = [] if files else ["no machine files"]
    for path in files:
        with open(path, encoding="utf-8") as file:
            machine = yaml.safe_load(file)
        wrong += [f"{path}: {error.message}" for error in validator.iter_errors(machine)]
        complete = "base" not in machine
        wrong += [f"{path}: accepted with {name}" for name, copied in (broken(machine) if complete else []) if validator.is_valid(copied)]
    based = {"base": "a100", "name": "half", "gpu": {"sms": 54}}
    wrong += [f"with a base: {error.message}" for error in validator.iter_errors(based)]
    for name, change in {"no name": lambda m: m.pop("name"), "a base of two names": lambda m: m.update(base=["a100", "v100"]),
                         "an unknown key": lambda m: m["gpu"].update(wings=2)}.items():
        copied = copy.deepcopy(based)
        change(copied)
        wrong += [f"accepted with a base and {name}"] if validator.is_valid(copied) else []
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
