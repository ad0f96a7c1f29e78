"""How well statements are told to be replaced, doubted, repeated or left alone, on the labelled pairs.

usage: python tests/quality/measure_claims.py [--unseen | --everyday] [--show]
"""

import argparse
import json
import time
from collections import Counter

from memory_core.claims.comparing import compare
from memory_core.claims.duplicates import near_duplicate
from memory_core.claims.statement import Verdict
from tests.quality.statement_pairs import EVERYDAY, TUNED, UNSEEN, Pair, pairs

REPLACED = ("replaces", "part")


def found(pair: Pair) -> str:
    """The label that we give to a pair."""
    comparison = compare(pair.older, pair.newer)
    return "part" if comparison.verdict is Verdict.REPLACES and comparison.rest else str(comparison.verdict)


def measure(name: str = TUNED) -> dict[str, float]:
    """Shares and counts over all pairs of a file.

    Returns:
        `pairs`; `replacements_found`: share of those that are replaced, wholly or in part; `wrongly_retired`: number
        of pairs where something was retired that holds, or too much of it; `doubts_found`; `wrongly_flagged`: number of
        unrelated pairs that were called doubtful; precision and recall of `same`, `near_duplicate` and `refined`;
        `pairs_per_cpu_second`.
    """
    every = list(pairs(name))
    begin = time.process_time()
    labels = [found(pair) for pair in every]
    took_s = time.process_time() - begin
    count = Counter(zip((pair.label for pair in every), labels, strict=True))
    wanted, given = Counter(pair.label for pair in every), Counter(labels)
    near = [pair.label for pair in every if near_duplicate(pair.older, pair.newer)]
    return {
        "pairs": len(every),
        "replacements_found": sum(count[label, label] for label in REPLACED) / sum(wanted[label] for label in REPLACED),
        "wrongly_retired": sum(n for (right, ours), n in count.items() if ours in REPLACED and right != ours),
        "doubts_found": count["contradicts", "contradicts"] / max(wanted["contradicts"], 1),
        "wrongly_flagged": count["unrelated", "contradicts"],
        "same_precision": count["same", "same"] / max(given["same"], 1),
        "same_recall": count["same", "same"] / max(wanted["same"], 1),
        "near_duplicate_precision": near.count("same") / max(len(near), 1),
        "near_duplicate_recall": near.count("same") / max(wanted["same"], 1),
        "refined_precision": count["refines", "refines"] / max(given["refines"], 1),
        "refined_recall": count["refines", "refines"] / max(wanted["refines"], 1),
        "pairs_per_cpu_second": round(len(every) / took_s),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print every pair that was judged otherwise")
    parser.add_argument("--unseen", action="store_true", help="the pairs that the rules were not tuned on")
    parser.add_argument("--everyday", action="store_true", help="corrections as they are said in passing")
    wanted = parser.parse_args()
    name = EVERYDAY if wanted.everyday else UNSEEN if wanted.unseen else TUNED
    if wanted.show:
        for pair in pairs(name):
            if (ours := found(pair)) != pair.label:
                print(f"{pair.label} but {ours}: {pair.older.text} | {pair.newer.text}")
    print(json.dumps(measure(name), indent=2))


if __name__ == "__main__":
    main()
