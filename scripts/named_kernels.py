"""Lists of calls and the names of their kernels, divided in two by shape: one half to fit rules, the other to score them."""
import csv
import gzip
import hashlib
import pathlib

SHAPE = ("batch", "m", "n", "k", "params")


def read(path):
    """The columns and rows of a list, which may be compressed by gzip."""
    opened = gzip.open if pathlib.Path(path).suffix == ".gz" else open
    with opened(path, "rt", newline="") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


def write(path, columns, rows, part):
    """The rows of one part as a list."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(row for row in rows if part_of(row) == part)


def part_of(row):
    """"fit" or "rest", the same for one shape on every GPU."""
    shape = ";".join(row.get(column) or "" for column in SHAPE)
    return "fit" if hashlib.md5(shape.encode()).digest()[0] % 2 else "rest"
