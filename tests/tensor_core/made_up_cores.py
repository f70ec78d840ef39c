"""The machines of cores.yaml: lab-tiny with another tensor core each."""
import pathlib
import re

import yaml

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent.parent
CORES = yaml.safe_load((FOLDER / "cores.yaml").read_text())


def machine_of(name, core):
    """The text of lab-tiny with another tensor core."""
    text = (ROOT / "configs/lab-tiny.yaml").read_text().replace("name: lab-tiny", f"name: {name}")
    for key, value in core["set"].items():
        line = re.compile(rf"^( +){re.escape(key.split('.')[-1])}: \S+", re.MULTILINE)
        start = text.index("  tensor:\n")
        head, tail = text[:start], text[start:]
        assert line.search(tail), key
        text = head + line.sub(rf"\g<1>{key.split('.')[-1]}: {value}", tail, count=1)
    block = re.compile(r"^    instructions:\n(?:      .*\n)+", re.MULTILINE)
    rows = "".join(f'      "{mnemonic}": {{}}\n' for mnemonic in core["instructions"])
    return block.sub(f"    instructions:\n{rows}", text, count=1)
