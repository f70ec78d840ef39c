"""What the name of a library's kernel says about it.

The two numbers of a cuBLAS tile are column-major: the first spans our n.
"""
import re

NVJET = re.compile(r"nvjet_(?:sm\d+_)?\w+?_(?P<m>\d+)x(?P<n>\d+)_(?P<k>\d+)x(?P<stages>\d+)_(?P<cluster>\d+x\d+)_")
XMMA = re.compile(r"tilesize(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)")
CUTLASS_3 = re.compile(r"_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_(?P<cluster>\d+x\d+)x\d+_(?P<stages>\d+)_")
CUTLASS_2 = re.compile(r"_(?P<m>\d+)x(?P<n>\d+)_(?P<k>\d+)x(?P<stages>\d+)(?:_|$|>)")
ARCHITECTURE = re.compile(r"_(?P<m>\d+)x(?P<n>\d+)_(?:\w*?_)?stages_(?P<k>\d+)x(?P<stages>\d+)")
ARCHITECTURE_TILE = re.compile(r"_(?P<m>\d+)x(?P<n>\d+)(?:_|$)")
CUDNN_SDPA = re.compile(r"_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_\d+x\d+x\d+_cga(?P<cluster>\d+x\d+)x\d+")
FLASH = re.compile(r"kernel_traits<(?P<k>\d+), (?P<m>\d+), (?P<n>\d+),", re.IGNORECASE)

# Family, how its names are known, and what reads them; the first that fits.
FAMILIES = (
    ("nvjet", re.compile(r"\bnvjet_"), (NVJET,)),
    (None, re.compile(r"\b(sm\d+_xmma)_"), (XMMA,)),
    ("cudnn_sdpa", re.compile(r"cudnn_generated\w*sdpa"), (CUDNN_SDPA,)),
    ("cudnn_generated", re.compile(r"cudnn_generated"), (CUDNN_SDPA, XMMA)),
    (None, re.compile(r"\b(cutlass3x_sm\d+_(?:tensorop|simt))"), (CUTLASS_3,)),
    (None, re.compile(r"\b(cutlass_\d*_?(?:wmma_)?(?:tensorop|simt))"), (CUTLASS_2,)),
    (None, re.compile(r"\b(volta|turing|ampere|hopper|maxwell)_\w*(?:gemm|cudnn)"), (ARCHITECTURE, ARCHITECTURE_TILE)),
    ("flash_attn2", re.compile(r"\bflash_(?:fwd|bwd)"), (FLASH,)),
    ("splitk_reduce", re.compile(r"split_?k_?reduce", re.IGNORECASE), ()),
    ("gemv", re.compile(r"gemv", re.IGNORECASE), ()),
    ("layout", re.compile(r"nchwToNhwc|nhwcToNchw|transpose", re.IGNORECASE), ()),
    ("memory", re.compile(r"^(?:Memset|Memcpy)"), ()),
    ("elementwise", re.compile(r"elementwise_kernel"), ()),
    ("softmax", re.compile(r"softmax", re.IGNORECASE), ()),
    ("layer_norm", re.compile(r"layer_?norm", re.IGNORECASE), ()),
)


def parse(name):
    """family, cta_m, cta_n, cta_k, stages, cluster and split_k of `name`, each text, empty where it says nothing.

    split_k is ">1" where only the fact stands in the name; stages of sm90_xmma and of CUTLASS 3 (0: automatic) do not.
    """
    found = dict.fromkeys(("family", "cta_m", "cta_n", "cta_k", "stages", "cluster", "split_k"), "")
    for family, known_by, readers in FAMILIES:
        match = known_by.search(name)
        if not match:
            continue
        found["family"] = family or match.group(1).rstrip("_")
        found.update(_tile(name[match.start():], readers))
        break
    if found["family"] != "splitk_reduce" and re.search(r"split_?k(?!v)", name, re.IGNORECASE):
        found["split_k"] = ">1"
    return found


def _tile(name, readers):
    for reader in readers:
        match = reader.search(name)
        if match:
            parts = {key if key in ("stages", "cluster") else "cta_" + key: value
                     for key, value in match.groupdict().items()}
            if "stages" not in parts and (stage := re.search(r"_stage(\d+)_", name)):
                parts["stages"] = stage.group(1)
            if "cluster" not in parts and (cluster := re.search(r"_cgasize(\d+x\d+)", name)):
                parts["cluster"] = cluster.group(1)
            return {key: "" if (key, value) == ("stages", "0") else value for key, value in parts.items()}
    return {}
