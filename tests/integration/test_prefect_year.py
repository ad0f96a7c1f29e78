"""Prefect's database stays small for years."""

from pathlib import Path

from tests.prefect_year import measure


def test_a_year_of_flow_runs_is_pruned_and_its_room_given_back(tmp_path: Path) -> None:
    sizes = measure(tmp_path / "home", days=365, runs_a_day=10)
    print(sizes)
    assert sizes.runs == 3651
    assert sizes.full_bytes > 20 * 2**20
    assert sizes.kept_runs <= 81
    assert sizes.shrunk_bytes < sizes.full_bytes / 5
