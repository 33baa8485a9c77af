"""A red team's files: each small on disk, each wanting more memory than anybody gave.

`FILES` has for each a name, whose suffix says the format, and what writes it. What is repeated is
compressed once and put behind itself, so that writing one takes neither memory nor time.
"""

from __future__ import annotations

import gzip
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MB = 1 << 20
# What a bomb holds once it is decompressed; the tests give far less.
BOMB = 800 * MB
FILES: dict[str, Callable[[Path], None]] = {}


def hostile(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Known by its name."""

    def kept(write: Callable[[Path], None]) -> Callable[[Path], None]:
        FILES[name] = write
        return write

    return kept


# Statistics


def statistics(path: Path, records: Any = 10**6, **attribute: Any) -> None:
    one = {"name": "a", "counts": {"x": 5}} | attribute
    two = {"name": "b", "counts": {"y": records}}
    held = {"format": "reidrisk-statistics/1", "records": records, "attributes": [one, two]}
    path.write_text(json.dumps(held))


@hostile("other_values.json")
def other_values(path: Path) -> None:
    statistics(path, other={"count": 10**6 - 5, "values": 3 * 10**8})


@hostile("other_values_of_as_many_people.json")
def other_values_of_as_many_people(path: Path) -> None:
    statistics(path, 10**9, other={"count": 10**9 - 5, "values": 3 * 10**8})


@hostile("other_values_beyond_a_word.json")
def other_values_beyond_a_word(path: Path) -> None:
    statistics(path, 10**18, other={"count": 10**18 - 5, "values": 10**18 - 5})


@hostile("a_thousand_digits.json")
def a_thousand_digits(path: Path) -> None:
    statistics(path, 10**999, counts={"x": 10**999})


@hostile("many_attributes.json")
def many_attributes(path: Path) -> None:
    each = [{"name": f"a{place}", "counts": {"x": 9}} for place in range(200_000)]
    held = {"format": "reidrisk-statistics/1", "records": 9, "attributes": each}
    path.write_text(json.dumps(held))


@hostile("nested.json")
def nested(path: Path) -> None:
    path.write_text('{"format": "reidrisk-statistics/1", "attributes": ' + "[" * 10**6)


@hostile("few_counts.json")
def few_counts(path: Path) -> None:
    """Hardly a cell is a count, and each could be told of."""
    counts = ",".join(f'"{place}":-1' for place in range(500_000))
    path.write_text(
        '{"format": "reidrisk-statistics/1", "records": 9, "attributes": '
        f'[{{"name": "a", "counts": {{{counts}}}}}]}}'
    )


@hostile("many_cells.json")
def many_cells(path: Path) -> None:
    values = {str(place): 1 for place in range(1200)}
    attributes = [{"name": f"a{place}", "counts": values} for place in range(2)]
    cells = [[a, b, 0] for a in values for b in values]
    held = {
        "format": "reidrisk-statistics/1", "records": 1200, "attributes": attributes,
        "pairs": [{"of": ["a0", "a1"], "counts": cells}],
    }  # fmt: skip
    path.write_text(json.dumps(held, separators=(",", ":")))


# Parquet and Arrow


@hostile("one_value.parquet")
def one_value(path: Path) -> None:
    ends, text = struct.pack("<ii", 0, 600 * MB), b"x" * (600 * MB)
    value = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(text)])
    options = {"use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table({"a": value}), path, compression="zstd", **options)


@hostile("one_value_of_many.parquet")
def one_value_of_many(path: Path) -> None:
    """A dictionary of one long value that every row holds."""
    long = pa.array(["y" * (50 * MB)])
    codes = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), long)
    pq.write_table(pa.table({"a": codes, "b": list(range(100))}), path, compression="zstd")


@hostile("rows_of_a_constant.parquet")
def rows_of_a_constant(path: Path) -> None:
    rows = 10_000_000
    codes = pa.nulls(rows, pa.int32()).fill_null(0)
    one = pa.table({"a": pa.DictionaryArray.from_arrays(codes, ["x"])})
    with pq.ParquetWriter(path, one.schema, compression="zstd") as file:
        for _ in range(20):
            file.write_table(one, row_group_size=rows)


@hostile("many_columns.parquet")
def many_columns(path: Path) -> None:
    table = pa.table({f"c{place}": pa.array([1, 2], pa.int8()) for place in range(30_000)})
    pq.write_table(table, path, write_statistics=False)


@hostile("lying_rows.parquet")
def lying_rows(path: Path) -> None:
    """Its footer says a trillion rows."""
    pq.write_table(pa.table({"a": pa.array(range(1_000_003), pa.int32())}), path)
    held = path.read_bytes()
    said, lie = _zigzag(1_000_003), _zigzag(10**12)
    footer = struct.unpack("<I", held[-8:-4])[0]
    head, tail = held[: -8 - footer], held[-8 - footer : -8].replace(said, lie)
    path.write_bytes(head + tail + struct.pack("<I", len(tail)) + b"PAR1")


def _zigzag(number: int) -> bytes:
    """As Thrift's compact protocol writes it."""
    number, out = number << 1, bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@hostile("compressed_buffers.arrow")
def compressed_buffers(path: Path) -> None:
    numbers = pa.nulls(150_000_000, pa.int32()).fill_null(7)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(path, pa.schema({"a": pa.int32()}), options=options) as file:
        file.write_table(pa.table({"a": numbers}))


@hostile("lying_buffers.arrow")
def lying_buffers(path: Path) -> None:
    with pa.ipc.new_file(path, pa.schema({"a": pa.int64()})) as file:
        file.write_table(pa.table({"a": pa.array(range(1000), pa.int64())}))
    held = path.read_bytes()
    path.write_bytes(held.replace(struct.pack("<q", 8000), struct.pack("<q", 1 << 62)))


# Texts


def repeated(compress: Callable[[bytes], bytes], block: bytes, head: bytes, path: Path) -> None:
    """The head, then the block until the bomb is full; each a stream of its own."""
    again = compress(block)
    with path.open("wb") as file:
        file.write(compress(head))
        for _ in range(BOMB // len(block)):
            file.write(again)


@hostile("one_line.csv.gz")
def one_line(path: Path) -> None:
    repeated(gzip.compress, b"x" * (50 * MB), b"a,b\n1,2\n3,", path)


@hostile("one_line.csv.zst")
def one_line_of_zstd(path: Path) -> None:
    repeated(_zstd, b"x" * (50 * MB), b"a,b\n1,2\n3,", path)


@hostile("many_rows.csv.gz")
def many_rows(path: Path) -> None:
    repeated(gzip.compress, b"1,2\n" * (10 * MB), b"a,b\n", path)


@hostile("many_long_values.csv.gz")
def many_long_values(path: Path) -> None:
    """No value twice, each as long as the one before but for its end."""
    long = b"x" * 4000
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b\n")
        for start in range(0, BOMB // len(long), 1000):
            file.write(
                b"".join(b"%s%d,1\n" % (long, place) for place in range(start, start + 1000))
            )


@hostile("quoted.csv.gz")
def quoted(path: Path) -> None:
    """A quote that is never closed: all of it is one value."""
    repeated(gzip.compress, b"1,2\n" * (10 * MB), b'a,b\n1,"', path)


@hostile("many_columns.csv")
def many_columns_of_text(path: Path) -> None:
    path.write_text("a," * 10**6 + "a\n" + "1," * 10**6 + "1\n")


def _zstd(held: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(held, asbytes=True))


@hostile("one_line.jsonl.gz")
def one_line_of_json(path: Path) -> None:
    repeated(gzip.compress, b"x" * (50 * MB), b'{"a": "', path)


@hostile("many_rows.jsonl.gz")
def many_rows_of_json(path: Path) -> None:
    repeated(gzip.compress, b'{"a": 1, "b": "%s"}\n' % (b"x" * 1000) * 50_000, b"", path)


@hostile("nested.jsonl")
def nested_lines(path: Path) -> None:
    path.write_text('{"a": ' + "[" * 10**6 + "]" * 10**6 + "}\n")


@hostile("many_keys.jsonl")
def many_keys(path: Path) -> None:
    path.write_text("".join(f'{{"k{place}": 1}}\n' for place in range(100_000)))


# Other programs' formats


def workbook(path: Path, parts: dict[str, Iterator[tuple[bytes, int]]], sheets: int = 1) -> None:
    """A spreadsheet of parts, each given as blocks and how often each stands there."""
    listed = "".join(
        f'<sheet name="s{place}" sheetId="{place}" r:id="rId{place}"/>'
        for place in range(1, sheets + 1)
    )
    kinds = "http://schemas.openxmlformats.org"
    known = f"{kinds}/officeDocument/2006/relationships"
    links = "".join(
        f'<Relationship Id="rId{place}" Type="{known}/worksheet" Target="worksheets/sheet1.xml"/>'
        for place in range(1, sheets + 1)
    )
    shared = f'<Relationship Id="rIdS" Type="{known}/sharedStrings" Target="sharedStrings.xml"/>'
    package = f"{kinds}/package/2006"
    fixed = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
        f'Type="{known}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{kinds}/spreadsheetml/2006/main" '
        f'xmlns:r="{known}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f"{links}{shared}</Relationships>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in fixed.items():
            archive.writestr(name, text)
        for name, blocks in parts.items():
            with archive.open(name, "w", force_zip64=True) as file:
                for block, times in blocks:
                    for _ in range(times):
                        file.write(block)


MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEAD = b"<worksheet " + MAIN + b"><sheetData>"
TAIL = b"</sheetData></worksheet>"


def cell(place: bytes, text: bytes) -> bytes:
    return b'<c r="' + place + b'" t="inlineStr"><is><t>' + text + b"</t></is></c>"


@hostile("sheet.xlsx")
def sheet(path: Path) -> None:
    rows = (b"<row>" + cell(b"A1", b"a") + b"</row>") * 20_000
    blocks = iter([(HEAD, 1), (rows, BOMB // len(rows)), (TAIL, 1)])
    workbook(path, {"xl/worksheets/sheet1.xml": blocks})


@hostile("shared_strings.xlsx")
def shared_strings(path: Path) -> None:
    strings = b"<si><t>x</t></si>" * 100_000
    shared = [(b"<sst " + MAIN + b">", 1), (strings, 300), (b"</sst>", 1)]
    row = b"<row>" + cell(b"A1", b"a") + b"</row>"
    parts = {
        "xl/sharedStrings.xml": iter(shared),
        "xl/worksheets/sheet1.xml": iter([(HEAD + row + TAIL, 1)]),
    }
    workbook(path, parts)


@hostile("far_corner.xlsx")
def far_corner(path: Path) -> None:
    """Two cells, and 17 billion between them."""
    first = b'<row r="1">' + cell(b"A1", b"a") + b"</row>"
    last = b'<row r="1048576">' + cell(b"XFD1048576", b"z") + b"</row>"
    workbook(path, {"xl/worksheets/sheet1.xml": iter([(HEAD + first + last + TAIL, 1)])})


@hostile("dimension.xlsx")
def dimension(path: Path) -> None:
    """It says that it is as large as a sheet may be, and holds two cells."""
    said = HEAD.replace(b"<sheetData>", b'<dimension ref="A1:XFD1048576"/><sheetData>')
    rows = b'<row r="1">' + cell(b"A1", b"a") + b'</row><row r="2">' + cell(b"A2", b"1") + b"</row>"
    workbook(path, {"xl/worksheets/sheet1.xml": iter([(said + rows + TAIL, 1)])})


@hostile("lying_rows.dta")
def lying_rows_of_stata(path: Path) -> None:
    import pyreadstat

    _frame_written(path, pyreadstat.write_dta)
    held = path.read_bytes()
    said = held.index(b"<N>") + 3
    path.write_bytes(held[:said] + struct.pack("<Q", 1 << 40) + held[said + 8 :])


@hostile("lying_rows.sav")
def lying_rows_of_spss(path: Path) -> None:
    import pyreadstat

    _frame_written(path, pyreadstat.write_sav)
    held = bytearray(path.read_bytes())
    # Bytes 80 to 84 say how many cases there are.
    held[80:84] = struct.pack("<i", 2**31 - 1)
    path.write_bytes(bytes(held))


@hostile("compressed.zsav")
def compressed_spss(path: Path) -> None:
    """A text of 32,000 characters in each of 12,000 cases: nothing but x."""
    import pandas
    import pyreadstat

    frame = pandas.DataFrame({"a": ["x" * 32_000] * 12_000})
    pyreadstat.write_sav(frame, str(path), compress=True)


def _frame_written(path: Path, write: Any) -> None:
    import pandas

    write(pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), str(path))


def written(name: str, under: Path) -> Path:
    """One of them, in a folder."""
    path = under / name
    FILES[name](path)
    return path
