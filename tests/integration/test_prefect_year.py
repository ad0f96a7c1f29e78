"""Prefect's database stays small for years."""

from pathlib import Path

import pytest

from tests.prefect_year import measure


@pytest.mark.timeout(900)
def test_a_year_of_flow_runs_is_pruned_and_its_room_given_back(tmp_path: Path) -> None:
    sizes = measure(tmp_path / "home", days=365, runs_a_day=5)
    print(sizes)
    assert sizes.runs == 1826
    assert sizes.full_bytes > 20 * 2**20
    assert sizes.kept_runs <= 41
    assert sizes.shrunk_bytes < sizes.full_bytes / 5
