#!/usr/bin/env python3
"""Writes the directed vectors of this folder.

A second statement of the arithmetic, in exact fractions and sharing nothing with the C++ model: every
expected result is computed here from numerics reference sections 2 to 7. Run it in this folder; the
files it writes are committed, and a test checks that the model reproduces them.
"""

from fractions import Fraction
from pathlib import Path

# name: (exponent bits, fraction bits, ignored low bits, has infinity)
FORMATS = {
    "fp16": (5, 10, 0, True),
    "bf16": (8, 7, 0, True),
    "tf32": (8, 10, 13, True),
    "fp32": (8, 23, 0, True),
    "e4m3": (4, 3, 0, False),
    "e5m2": (5, 2, 0, True),
}

# file name: (input, accumulator, products, grid fraction bits, exponent floor, kept fraction bits)
MACHINES = {
    "volta_mma_fp16_fp32": ("fp16", "fp32", 4, 23, -131, 23),
    "volta_mma_fp16_fp16": ("fp16", "fp16", 4, 23, -20, 10),
    "turing_mma_fp16_fp16": ("fp16", "fp16", 8, 24, -21, 10),
    "ampere_mma_fp16_fp32": ("fp16", "fp32", 8, 24, -132, 23),
    "ampere_mma_fp16_fp16": ("fp16", "fp16", 8, 24, -21, 10),
    "ampere_mma_bf16_fp32": ("bf16", "fp32", 8, 24, -132, 23),
    "ampere_mma_tf32_fp32": ("tf32", "fp32", 4, 24, -132, 23),
    "ada_mma_e4m3_fp32": ("e4m3", "fp32", 16, 13, -132, 13),
    "ada_mma_e5m2_fp16": ("e5m2", "fp16", 16, 13, -21, 10),
    "hopper_mma_fp16_fp32": ("fp16", "fp32", 16, 25, -133, 23),
    "hopper_mma_fp16_fp16": ("fp16", "fp16", 16, 25, -21, 10),
    "hopper_wgmma_fp16_fp16": ("fp16", "fp16", 16, 25, -21, 10),
    "hopper_mma_bf16_fp32": ("bf16", "fp32", 16, 25, -133, 23),
    "hopper_mma_tf32_fp32": ("tf32", "fp32", 8, 25, -133, 23),
    "hopper_wgmma_e4m3_fp32": ("e4m3", "fp32", 32, 13, -133, 13),
    "hopper_wgmma_e5m2_fp16": ("e5m2", "fp16", 32, 13, -21, 10),
}

NAN, INFINITE, FINITE = "nan", "infinite", "finite"


def power(exponent):
    return Fraction(2) ** exponent


class Format:
    def __init__(self, name):
        self.exponent_bits, self.fraction_bits, self.ignored, self.infinity = FORMATS[name]
        self.bias = 2 ** (self.exponent_bits - 1) - 1
        self.least = 1 - self.bias
        self.greatest = 2**self.exponent_bits - 1 - self.bias - (1 if self.infinity else 0)
        self.width = 1 + self.exponent_bits + self.fraction_bits + self.ignored
        self.sign = 1 << (self.width - 1)
        self.top = (2**self.exponent_bits - 1) << (self.fraction_bits + self.ignored)

    def pattern(self, value):
        """The pattern of a value the format holds exactly."""
        value = Fraction(value)
        sign = self.sign if value < 0 else 0
        magnitude = abs(value)
        if magnitude == 0:
            return 0
        exponent = max(floor_log2(magnitude), self.least)
        digits = magnitude / power(exponent - self.fraction_bits)
        assert digits.denominator == 1 and exponent <= self.greatest, (value, exponent)
        field = exponent + self.bias if digits >= 2**self.fraction_bits else 0
        fraction = int(digits) % 2**self.fraction_bits
        return sign | ((field << self.fraction_bits | fraction) << self.ignored)

    def holds(self, value):
        try:
            self.pattern(value)
            return True
        except AssertionError:
            return False

    def parse(self, pattern):
        """(kind, negative, exponent used for alignment, magnitude)"""
        kept = pattern >> self.ignored
        field = kept >> self.fraction_bits & (2**self.exponent_bits - 1)
        fraction = kept & (2**self.fraction_bits - 1)
        negative = bool(pattern & self.sign)
        if field == 2**self.exponent_bits - 1:
            if self.infinity:
                return (INFINITE if fraction == 0 else NAN, negative, 0, Fraction(0))
            if fraction == 2**self.fraction_bits - 1:
                return (NAN, negative, 0, Fraction(0))
        exponent = max(field, 1) - self.bias
        hidden = 1 if field else 0
        return (FINITE, negative, exponent,
                (hidden + Fraction(fraction, 2**self.fraction_bits)) * power(exponent))


def floor_log2(magnitude):
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return exponent if power(exponent) <= magnitude else exponent - 1


class Machine:
    def __init__(self, name):
        source, target, self.products, self.grid, self.floor, self.kept = MACHINES[name]
        self.input, self.output = Format(source), Format(target)
        self.nearest = target == "fp16"
        self.input_name = source
        # A negative sum that rounds to zero: measured on an H200, the older ones an assumption (section 17, Q1).
        self.underflow_keeps_sign = not name.startswith("hopper")

    def chain(self, a, b, c):
        for k in range(0, len(a), self.products):
            c = self.block(a[k:k + self.products], b[k:k + self.products], c)
        return c

    def block(self, a, b, c):
        nan = self.output.sign - 1
        terms, infinite = [], set()
        for x, y in zip(map(self.input.parse, a), map(self.input.parse, b)):
            if NAN in (x[0], y[0]):
                return nan
            negative = x[1] != y[1]
            if INFINITE in (x[0], y[0]):
                if (x[0] == FINITE and x[3] == 0) or (y[0] == FINITE and y[3] == 0):
                    return nan
                infinite.add(negative)
            else:
                terms.append((negative, x[2] + y[2], x[3] * y[3]))
        kind, negative, exponent, magnitude = self.output.parse(c)
        if kind == NAN:
            return nan
        if kind == INFINITE:
            infinite.add(negative)
        terms.append((negative, exponent, magnitude))
        if len(infinite) == 2:
            return nan
        if infinite:
            return self.output.top | (self.output.sign if True in infinite else 0)
        maximum = max([self.floor] + [e for _, e, m in terms if m != 0])
        unit = power(maximum - self.grid)
        total = sum((-1 if n else 1) * (m // unit) for n, _, m in terms)
        return self.pack(total * unit)

    def pack(self, value):
        if value == 0:
            return 0
        sign = self.output.sign if value < 0 else 0
        magnitude = abs(value)
        exponent = max(floor_log2(magnitude), self.output.least)
        last = power(exponent - self.kept)
        digits = magnitude // last
        rest = magnitude - digits * last
        if self.nearest and (rest > last / 2 or (rest == last / 2 and digits % 2 == 1)):
            digits += 1
        rounded = digits * last
        if rounded == 0 and not self.underflow_keeps_sign:
            return 0
        if rounded >= power(self.output.greatest + 1):
            return sign | self.output.top
        return sign | self.output.pattern(rounded)


class Vectors:
    """Rows of one file. A case that the formats cannot express is left out."""

    def __init__(self, machine):
        self.machine = machine
        self.rows = []
        self.seen = set()

    def add(self, category, a, b, c):
        source, target = self.machine.input, self.machine.output
        try:
            a = [x if isinstance(x, int) else source.pattern(x) for x in a]
            b = [x if isinstance(x, int) else source.pattern(x) for x in b]
            c = c if isinstance(c, int) else target.pattern(c)
        except AssertionError:
            return
        key = (tuple(a), tuple(b), c)
        if key in self.seen:
            return
        self.seen.add(key)
        digits = lambda values, width: "".join(f"{v:0{width // 4}x}" for v in values)
        d = self.machine.chain(a, b, c)
        self.rows.append(",".join([category, digits(a, source.width), digits(b, source.width),
                                   f"{c:0{target.width // 4}x}", f"{d:0{target.width // 4}x}"]))


def numbers(values):
    return [Fraction(v) for v in values]


def fill(values, count):
    return numbers(list(values) + [0] * (count - len(values)))


def alignment(machine, vectors):
    """A cancelling pair sets the grid; c stands around its last digit."""
    one = Fraction(1)
    for top in (0, 2):
        big = power(top)
        for place in (-2, -1, 0, 1):
            for factor in (one, Fraction(3, 2), -one):
                c = factor * power(2 * top - machine.grid + place)
                vectors.add("grid", fill([big, -big], 4), fill([big, big], 4), c)
    half_over = Fraction(3, 2)
    for place in (-1, 0, 1):
        c = power(-machine.grid + place)
        vectors.add("product-2.25", fill([half_over, -half_over], 4),
                    fill([half_over, half_over], 4), c)
        tall = Fraction(2) + Fraction(1, 4)
        vectors.add("product-2.25x1", fill([tall, -tall], 4), fill([1, 1], 4), c)
    least = power(machine.input.least - machine.input.fraction_bits)
    large = power(machine.input.greatest)
    for place in (-1, 0, 1):
        c = power(machine.input.least + machine.input.greatest - machine.grid + place)
        vectors.add("subnormal-factor", fill([least, -least], 4), fill([large, large], 4), c)


def truncation(machine, vectors):
    """Sign-magnitude cutting of every term, one by one."""
    for sign in (1, -1):
        for count in (1, 2, 3, 4):
            for place in (0, 1, 2):
                left = machine.grid // 2 + place
                right = machine.grid - machine.grid // 2
                small = [sign * power(-left)] * count
                other = [power(-right)] * count
                vectors.add("cut", fill([1] + small[:3], 4), fill([1] + other[:3], 4), Fraction(0))
                vectors.add("cut-beside-c", fill(small, 4), fill(other, 4), Fraction(sign))
                vectors.add("cut-against-c", fill(small, 4), fill(other, 4), Fraction(-sign))


def rounding(machine, vectors):
    """Ties of the result and the digits that break them."""
    kept = machine.kept
    half = power(-kept - 1)
    for sign in (1, -1):
        for odd in (0, 1):
            c = sign * (1 + odd * power(-kept))
            for extra in (0, power(-machine.grid), -power(-machine.grid), power(-machine.grid - 1)):
                for split in (1, 2):
                    scale = power(kept // 2 + 1)
                    a = [sign * half * scale / split] * split
                    b = [1 / scale] * split
                    if extra:
                        a.append(sign * extra * power(machine.grid // 2))
                        b.append(power(-(machine.grid // 2)))
                    vectors.add("tie", fill(a, 4), fill(b, 4), c)


def limits(machine, vectors):
    """Overflow and underflow of the result."""
    out = machine.output
    largest = (2 - power(-out.fraction_bits)) * power(out.greatest)
    ulp = power(out.greatest - out.fraction_bits)
    for sign in (1, -1):
        for step in (ulp / 4, ulp / 2, ulp * Fraction(3, 4), ulp, -ulp / 2):
            exponent = floor_log2(abs(step))
            left = min(exponent, machine.input.greatest)
            a = sign * step / power(left)
            for split in range(0, 20, 4):
                if machine.input.holds(a * power(split)) and machine.input.holds(power(left - split)):
                    vectors.add("overflow", fill([a * power(split)], 4),
                                fill([power(left - split)], 4), sign * largest)
                    break
        tiny = power(out.least - out.fraction_bits)
        for step in (tiny / 4, tiny / 2, tiny * Fraction(3, 4), tiny, tiny * Fraction(3, 2)):
            for c in (Fraction(0), tiny, power(out.least), power(out.least) - tiny):
                exponent = floor_log2(step)
                left = exponent // 2
                a = sign * step / power(exponent - left)
                vectors.add("underflow", fill([a], 4), fill([power(exponent - left)], 4), c * sign)


def specials(machine, vectors):
    source, target = machine.input, machine.output
    one = source.pattern(1)
    nan_in = source.sign - 1 if not source.infinity else source.top | 1 << source.ignored
    c_one = target.pattern(1)
    nan_c = target.top | 1
    pad = lambda values: list(values) + [0] * (4 - len(values))
    for sign in (0, source.sign):
        vectors.add("nan", pad([nan_in | sign]), pad([one]), c_one)
        vectors.add("nan", pad([one]), pad([nan_in | sign]), 0)
        vectors.add("nan", pad([nan_in | sign]), pad([0]), c_one)
    vectors.add("nan", pad([one]), pad([one]), nan_c)
    vectors.add("nan", pad([0]), pad([0]), nan_c | target.sign)
    inf_c = target.top
    for sign in (0, target.sign):
        vectors.add("infinity", pad([one]), pad([one]), inf_c | sign)
        vectors.add("infinity", pad([one | source.sign]), pad([one]), inf_c | sign)
    if not source.infinity:
        return
    infinity = source.top
    least = 1 << source.ignored
    for sign in (0, source.sign):
        vectors.add("infinity", pad([infinity | sign]), pad([one]), c_one)
        vectors.add("infinity", pad([one, infinity]), pad([one, least | sign]), c_one)
        vectors.add("infinity-times-zero", pad([infinity]), pad([sign]), c_one)
        vectors.add("infinity-times-zero", pad([sign, one]), pad([infinity, one]), inf_c)
        vectors.add("opposite", pad([infinity, infinity | sign]), pad([one, one]), c_one)
        vectors.add("opposite", pad([infinity | sign]), pad([one]), inf_c)
        vectors.add("opposite", pad([infinity | sign]), pad([one]), inf_c | target.sign)
    if source.ignored:
        for pattern in (0x3F801FFF, 0x00001FFF, 0x7F800001, 0x7F802000, 0x00002000, 0x807FFFFF):
            vectors.add("ignored-bits", pad([pattern]), pad([one]), 0)
            vectors.add("ignored-bits", pad([one]), pad([pattern]), c_one)


def signed_zeros(machine, vectors):
    source, target = machine.input, machine.output
    one = source.pattern(1)
    for a in (0, source.sign):
        for c in (0, target.sign):
            vectors.add("zero", [a] * 4, [one] * 4, c)
            vectors.add("zero", [one, one | source.sign, a, 0], [one] * 4, c)
    huge = source.pattern(power(source.greatest))
    vectors.add("zero-times-huge", [0, one, one | source.sign, 0], [huge, one, one, 0],
                target.pattern(power(-machine.grid)) if target.holds(power(-machine.grid)) else 0)


def chains(machine, vectors):
    """Two blocks and more: the accumulator is rounded between them, in ascending k."""
    length = 2 * machine.products
    grid = machine.grid
    left, right = power(-(grid // 2)), power(-(grid - grid // 2) - 1)
    for at in (0, machine.products - 1, machine.products, length - 1):
        a = [left] * length
        b = [right] * length
        a[at] = b[at] = Fraction(1)
        vectors.add("chain", a, b, Fraction(0))
        vectors.add("chain", a, b, Fraction(-1))
        cancelled = list(a)
        cancelled[(at + machine.products) % length] = Fraction(-1)
        other = list(b)
        other[(at + machine.products) % length] = Fraction(1)
        vectors.add("chain-cancel", cancelled, other, Fraction(0))
    top = power(min(machine.input.greatest, (machine.output.greatest + 1) // 2))
    for at in (1, machine.products):
        a = fill([top], length)
        b = fill([top], length)
        a[at], b[at] = -top, top
        vectors.add("chain-overflow", a, b, machine.output.pattern(power(machine.output.greatest)))


def floors(machine, vectors):
    """c = 0 and products whose exponents lie below the floor of the maximum."""
    unit = machine.floor - machine.grid
    tie = machine.output.least - machine.output.fraction_bits - 1
    for place in (-2, -1, 0, 1):
        exponent = unit + place
        left = exponent // 2
        start = tie // 2
        a = [power(start), power(left)]
        b = [power(tie - start), power(exponent - left)]
        vectors.add("floor", fill(a, 4), fill(b, 4), Fraction(0))
        vectors.add("floor", fill(a + a[1:], 4), fill(b + b[1:], 4), Fraction(0))


def main():
    total = 0
    for name in MACHINES:
        machine = Machine(name)
        vectors = Vectors(machine)
        for cases in (alignment, truncation, rounding, limits, specials, signed_zeros, chains, floors):
            cases(machine, vectors)
        Path(name + ".csv").write_text("\n".join(["cat,a,b,c,d"] + vectors.rows) + "\n")
        total += len(vectors.rows)
        print(f"{name}: {len(vectors.rows)} vectors")
    print(f"{total} vectors")


if __name__ == "__main__":
    main()
