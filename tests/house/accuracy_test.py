"""scripts/accuracy takes every fitted block out of a library file, with the comments that name its source.

usage: accuracy_test.py REPOSITORY
"""
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("accuracy", str(ROOT / "scripts/accuracy"))
accuracy = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", loader))
loader.exec_module(accuracy)

KEPT = "kernels:\n  one:\n    menu: staged\n    slices:\n      least: 16\n"
ABOVE = "    # Fitted to the names\n    # of OWN.\n    cluster_waves:\n      factor: 2\n"
INSIDE = "    waves:    # NEUSIGHT\n      least_k: 1\n"
LINE = "      larger: {than: 128x128}  # AIC\n"

whole = KEPT + LINE + ABOVE + INSIDE + "  two:\n"
assert accuracy.without_fits(whole, None) == KEPT + "  two:\n"
assert accuracy.without_fits(whole, "OWN") == KEPT + LINE + INSIDE + "  two:\n"
assert accuracy.without_fits(whole, "AIC") == KEPT + ABOVE + INSIDE + "  two:\n"
hopper = (ROOT / "configs/libraries/cublas-nvjet.yaml").read_text()
assert "OWN's" in hopper and "OWN's" not in accuracy.without_fits(hopper, "OWN")
