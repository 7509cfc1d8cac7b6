"""The demo data set: a seeded generator of a vote file in the shape of cifar10h-raw.csv, with planted truth.

Who is inattentive, which items are truly ambiguous and how often everybody slips is known, so results can be
compared with a truth. Of the standard library's generator only `random()` is used: its numbers, unlike those
of `shuffle` or `choice`, are promised to stay the same in every Python version, and so the bytes do too.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

SEED = 20190817
ITEMS = 400
ANNOTATORS = 100
TRIALS = 200
ATTENTION_CHECKS = 10
INATTENTIVE = 12
AMBIGUOUS = 40
LAPSE_RATE = 0.01
# How often an inattentive annotator picks any label at all instead of looking.
GUESS_RATE = 0.75
# Of the 10 checks, how many an annotator passes: inattentive ones clearly under 80 %, attentive ones never.
# The attentive list includes exactly 80 %, the edge of the usual rule, in about one case of twenty.
INATTENTIVE_PASSES = (1, 2, 3, 4, 5)
ATTENTIVE_PASSES = (8,) + (9,) * 3 + (10,) * 16
NEGATIVE_REACTION_TIMES = 3
NO_ITEM = -99999

LABELS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
# The label each one is taken for where an item is ambiguous.
LOOKALIKE = {0: 8, 1: 9, 2: 0, 3: 5, 4: 7, 5: 3, 6: 2, 7: 4, 8: 0, 9: 1}

HEADER = (
    "annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,chosen_label,correct_guess,"
    "cifar10_test_test_idx,image_filename,subcategory,reaction_time,time_elapsed"
)


@dataclass(frozen=True)
class Truth:
    """What the generator planted.

    `second_label` maps each ambiguous item to the label it is taken for, `second_share` to the chance of that;
    the true label of every item is `true_label[item]`.
    """

    inattentive: frozenset[int]
    true_label: tuple[int, ...]
    second_label: dict[int, int]
    second_share: dict[int, float]
    lapse_rate: float


class _Chance:
    """Draws made from `random()` alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def below(self, bound: int) -> int:
        return int(self.random() * bound)

    def sample(self, population: int, size: int) -> list[int]:
        """`size` different numbers below `population`, in random order (Fisher-Yates, stopped early)."""
        numbers = list(range(population))
        for position in range(size):
            other = position + self.below(population - position)
            numbers[position], numbers[other] = numbers[other], numbers[position]
        return numbers[:size]

    def other_label(self, label: int) -> int:
        return (label + 1 + self.below(len(LABELS) - 1)) % len(LABELS)


def _plant(chance: _Chance) -> Truth:
    order = chance.sample(ITEMS, ITEMS)
    true_label = tuple(position % len(LABELS) for position in order)
    ambiguous = sorted(chance.sample(ITEMS, AMBIGUOUS))
    return Truth(
        inattentive=frozenset(chance.sample(ANNOTATORS, INATTENTIVE)),
        true_label=true_label,
        second_label={item: LOOKALIKE[true_label[item]] for item in ambiguous},
        second_share={item: 0.25 + 0.25 * chance.random() for item in ambiguous},
        lapse_rate=LAPSE_RATE,
    )


def truth(seed: int = SEED) -> Truth:
    """The planted truth, without writing the file."""
    return _plant(_Chance(seed))


def _vote(chance: _Chance, planted: Truth, item: int, *, is_inattentive: bool) -> int:
    if is_inattentive and chance.random() < GUESS_RATE:
        return chance.below(len(LABELS))
    label = planted.true_label[item]
    if item in planted.second_label and chance.random() < planted.second_share[item]:
        label = planted.second_label[item]
    return chance.other_label(label) if chance.random() < LAPSE_RATE else label


def _session(chance: _Chance, planted: Truth, annotator: int, clear_items: list[int]) -> list[str]:
    """The annotator's trials in order: 200 items once each, attention checks at random positions between them."""
    is_inattentive = annotator in planted.inattentive
    passes = INATTENTIVE_PASSES if is_inattentive else ATTENTIVE_PASSES
    to_pass = passes[chance.below(len(passes))]
    # For each check in order of appearance, whether it is passed.
    outcomes = [rank < to_pass for rank in chance.sample(ATTENTION_CHECKS, ATTENTION_CHECKS)]
    check_positions = set(chance.sample(TRIALS + ATTENTION_CHECKS, ATTENTION_CHECKS))
    items = iter(chance.sample(ITEMS, TRIALS))
    rows, elapsed = [], 0
    for trial in range(TRIALS + ATTENTION_CHECKS):
        is_check = trial in check_positions
        if is_check:
            item = clear_items[chance.below(len(clear_items))]
            true = planted.true_label[item]
            chosen = true if outcomes.pop() else chance.other_label(true)
        else:
            item = next(items)
            true = planted.true_label[item]
            chosen = _vote(chance, planted, item, is_inattentive=is_inattentive)
        reaction = 250 + chance.below(600) if is_inattentive else 700 + chance.below(1800)
        elapsed += reaction + 50
        rows.append(
            f"{annotator},{trial},{int(is_check)},{LABELS[true]},{LABELS[chosen]},{true},{chosen},"
            f"{int(true == chosen)},{NO_ITEM if is_check else item},"
            f"demo_{LABELS[true]}_{item:04d}.png,demo_{LABELS[true]},{reaction},{elapsed}"
        )
    return rows


def generate(path: Path, seed: int = SEED) -> Truth:
    """Write the file to `path` (whole or not at all) and return what was planted."""
    chance = _Chance(seed)
    planted = _plant(chance)
    clear_items = [item for item in range(ITEMS) if item not in planted.second_label]
    rows: list[str] = []
    for annotator in range(ANNOTATORS):
        rows += _session(chance, planted, annotator, clear_items)
    # The real file holds a few negative reaction times; whoever reads it must cope, so the demo has some as well.
    for position in chance.sample(len(rows), NEGATIVE_REACTION_TIMES):
        before, reaction, elapsed = rows[position].rsplit(",", 2)
        rows[position] = f"{before},-{reaction},{elapsed}"
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    unfinished.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8", newline="\n")
    unfinished.replace(path)
    return planted


def main(arguments: list[str] | None = None) -> int:
    """Command line: write the file and say what it holds."""
    parser = argparse.ArgumentParser(prog="python -m scripts.demo", description="Write the demo data set's vote file.")
    parser.add_argument("--out", type=Path, default=Path("data/raw/demo-raw.csv"), help="file to write (%(default)s)")
    path = parser.parse_args(arguments).out
    planted = generate(path)
    print(
        f"{path}: {ITEMS} items, {ANNOTATORS} annotators, {ANNOTATORS * TRIALS} votes; planted: "
        f"{len(planted.inattentive)} inattentive annotators, {len(planted.second_label)} ambiguous items"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
