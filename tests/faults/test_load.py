"""Many writers and readers on one vault for a moment; `make load` does it for a minute."""

import importlib.util
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "load.py"


def test_o_cc_01_every_acknowledged_write_is_there_and_no_reader_sees_half_a_file(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("load", BENCHMARK)
    assert spec is not None and spec.loader is not None
    load = importlib.util.module_from_spec(spec)
    sys.modules["load"] = load  # the processes that it starts look for their work by this name
    spec.loader.exec_module(load)
    sys.path.insert(0, str(BENCHMARK.parent))
    try:
        figures = load.load(str(tmp_path), 3, 4, 3)
    finally:
        sys.path.remove(str(BENCHMARK.parent))
        del sys.modules["load"]
    assert load.is_good(figures), figures
    assert figures["acknowledged"] > 0
