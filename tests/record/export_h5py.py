"""Opens an exported recording (tests/support/recording.c, 200 steps) as a user of h5py does."""
import math
import sys

import h5py


def value(channel, step, k):
    return math.sin(0.01 * step + channel) + 10 * k


def near(a, b):
    return abs(a - b) < 1e-12


with h5py.File(sys.argv[1], "r") as f:
    assert dict(f.attrs) == {"scenario": "trot", "empty": "", "version": "1 µ", "dt": 0.001, "seed": 7}, dict(f.attrs)
    assert f.attrs["dt"].dtype.kind == "f" and f.attrs["seed"].dtype.kind == "i"

    q = f["state/q"]
    values = q["values"]
    assert values.shape == (200, 3) and q["time"].shape == (200,)
    assert list(values.attrs["columns"]) == ["BASE.x", "LF_HAA", "lf haa"]
    assert list(values.attrs["units"]) == ["m", "rad", ""]
    assert values.attrs["doc"] == "joint coordinates"
    assert q["time"].attrs["units"] == "s"
    for step in range(200):
        assert near(q["time"][step], step * 1e-3)
        assert all(near(values[step, k], value(0, step, k)) for k in range(3))

    contacts = f["contacts"]
    rows = contacts["rows"][:]
    assert len(rows) == 201 and rows[0] == 0 and contacts["values"].shape == (rows[-1], 2)
    for step in range(200):
        assert rows[step + 1] - rows[step] == step % 4
    assert list(contacts["values"].attrs["links"]) == ["base", "LF_FOOT"]
    assert "links" not in values.attrs
    assert near(contacts["values"][rows[7] + 2, 1], value(1, 7, 5))

    assert f["solver/values"].shape == (13, 1)
    assert f["attachments/scenario.yaml"].asstr()[()] == "duration: 1\n"
    assert bytes(f["attachments/zeros.bin"][:]) == b"a\0b"
    assert f["attachments/nothing"].asstr()[()] == ""
    assert f["attachments/zeros.bin"].attrs["media_type"] == "application/octet-stream"
