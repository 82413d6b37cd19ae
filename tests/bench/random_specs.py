#!/usr/bin/env python3
"""Prints SPECs of random matrices, the same ones for the same seed, to count what a pack covers:

    tests/bench/random_specs.py --count 400 --seed 2 | xargs build/specmv pregen --set values=plain --coverage PACK

The families that are never used for a fit (`specmv generate --list` marks them) are not among them.
"""

import argparse
import random

ROWS = [30, 300_000]
ENTRIES = [100, 3_000_000]  # at most so many, so that a list is profiled in a minute


def log_int(rng, least, most):
    """Every magnitude is as likely as any other."""
    return round(least * (most / least) ** rng.random())


def rows(rng, per_row=1, multiple=1):
    least = max(ROWS[0], int(ENTRIES[0] / max(per_row, 1)) if ENTRIES[0] > 100 else 0)
    most = max(least, min(ROWS[1], int(ENTRIES[1] / max(per_row, 1))))
    return max(1, log_int(rng, least, most) // multiple) * multiple


def side(rng, dimensions, per_row):
    return max(3, round(rows(rng, per_row) ** (1 / dimensions)))


def grid(rng, name, dimensions, per_row):
    """Half of the grids have different sides, as those of applications do."""
    n = side(rng, dimensions, per_row)
    keys = [f"n={n}"]
    if rng.random() < 0.5:
        keys += [f"{axis}={max(3, round(n * rng.uniform(0.5, 1.5)))}" for axis in "xyz"[:dimensions]]
        keys = [key if key[0] == "n" else "n" + key for key in keys]
    return f"{name}:{','.join(keys)}"


def band(rng):
    k = log_int(rng, 3, 120)
    n = max(rows(rng, k), 2 * k)
    return f"band:k={k},half={log_int(rng, max(2, k // 2), max(3, k, n // 4))},rows={n}"


def random_columns(rng):
    k = log_int(rng, 2, 150)
    spread = rng.choice([0, 0, 0.2, 0.5, 0.9])
    n = rows(rng, k)
    cols = n if rng.random() < 0.7 else max(k * 2, rows(rng))
    return f"random:k={k},spread={spread},rows={n},cols={max(cols, 2 * k)}"


def row_lengths(rng):
    mean = log_int(rng, 2, 100)
    dist = rng.choice(["fixed", "poisson", "uniform", "normal"])
    n = max(rows(rng, mean), 3 * mean)
    return f"rowlengths:dist={dist},mean={mean},n={n}"


def blocks(rng):
    b = rng.randint(2, 8)
    k = log_int(rng, 2, 40)
    n = max(rows(rng, b * k, b), 2 * b * k)
    return f"blocks:b={b},k={k},band={log_int(rng, k, 1000)},rows={n}"


def power_law(rng):
    avg = log_int(rng, 2, 40)
    n = max(rows(rng, avg), 4 * avg)
    alpha = round(rng.uniform(1.6, 3.2), 2)
    longest = log_int(rng, 4 * avg, max(4 * avg, n))
    return f"powerlaw:rows={n},avg={avg},alpha={alpha},max={min(longest, n)}"


def spike(rng):
    n = rows(rng, 5)
    return f"spike:rows={n},k={rng.randint(1, 12)},spikes={rng.randint(1, 8)},length={log_int(rng, min(30, n), n)}"


def circuit(rng):
    n = rows(rng, 6)
    return (f"circuit:rows={n},avg={rng.randint(3, 9)},rails={min(n, log_int(rng, 1, 64))},"
            f"share={round(rng.uniform(0.02, 0.3), 2)}")


def lp(rng):
    n = log_int(rng, 20, 3000)
    avg = log_int(rng, 10, 3000)
    cols = n + log_int(rng, max(n, avg), max(n, avg) * 30)
    return f"lp:rows={n},cols={cols},avg={min(avg, ENTRIES[1] // n)}"


def dense(rng):
    n = log_int(rng, 10, 2000)
    return f"dense:rows={n},cols={log_int(rng, 10, min(100_000, max(20, ENTRIES[1] // n)))}"


def fem(rng):
    return f"fem2d:rows={rows(rng, 7)},order={rng.choice(['natural', 'natural', 'random'])}"


def fem3d(rng):
    order = rng.choice(["natural", "random", "cuthill"])
    return f"fem3d:n={side(rng, 3, 15)},removed={round(rng.uniform(0, 0.4), 2)},order={order}"


def coupled(rng):
    b = rng.randint(2, 6)
    stencil = rng.choice([7, 27])
    return (f"coupled:n={side(rng, 3, stencil * b * b)},b={b},stencil={stencil},"
            f"missing={round(rng.uniform(0.05, 0.6), 2)}")


def discontinuous(rng):
    dim, b = rng.choice([(2, 3), (2, 6), (2, 10), (3, 4), (3, 10), (3, 20)])
    cells = rows(rng, (dim + 2) * b * b) / (2 if dim == 2 else 6)
    return f"dg:n={max(1, round(cells ** (1 / dim)))},dim={dim},b={b}"


def communities(rng):
    avg, hubs = rng.randint(4, 40), log_int(rng, 1, 50)
    n = max(rows(rng, avg), 300)
    degree = log_int(rng, 10, max(10, avg * n // (4 * hubs)))
    return (f"communities:rows={n},avg={avg},size={log_int(rng, 20, min(n, 10_000))},"
            f"share={round(rng.uniform(0, 0.5), 2)},hubs={hubs},degree={min(degree, n)}")


def web(rng):
    return power_law(rng).replace("powerlaw", "web") + f",near={round(rng.uniform(0.3, 0.95), 2)}"


def features(rng):
    k = log_int(rng, 3, 100)
    return f"features:rows={rows(rng, k)},k={k},cols={log_int(rng, 2 * k, 200_000)}"


def wide_table(rng):
    most = log_int(rng, 100, 20_000)
    return (f"widetable:rows={rows(rng, most / 4)},cols={log_int(rng, most, 500_000)},"
            f"least={rng.randint(1, 20)},most={most}")


def hypersparse(rng):
    k = log_int(rng, 1, 20)
    n = max(rows(rng), 2 * k)
    near = rng.choice(["", f",half={log_int(rng, k, n)}"])
    return f"hypersparse:rows={n},k={k},filled={round(rng.uniform(0.01, 0.4), 2)}{near}"


def arrow(rng):
    half = log_int(rng, 1, 20)
    return f"arrow:rows={rows(rng, 2 * half + 1)},half={half},full={rng.randint(1, 8)}"


def periodic(rng):
    name, dimensions, per_row = rng.choice([("stencil5", 2, 5), ("stencil9", 2, 9),
                                            ("stencil7", 3, 7), ("stencil27", 3, 27)])
    return grid(rng, name, dimensions, per_row) + ",boundary=periodic"


# The families by their frequency in the list; those that solvers use often are listed more than
# once.
SIZED = [
    lambda rng: grid(rng, "stencil5", 2, 5),
    lambda rng: grid(rng, "stencil7", 3, 7),
    lambda rng: grid(rng, "stencil9", 2, 9),
    lambda rng: grid(rng, "stencil27", 3, 27),
    lambda rng: grid(rng, "elasticity", 3, 243),
    band, band, random_columns, random_columns, row_lengths, blocks, blocks, power_law, power_law,
    spike, circuit, circuit, lp, dense, fem, fem,
    lambda rng: f"diagonal:n={rows(rng)}",
]
# Their keys say something else than rows.
FAMILIES = SIZED + [
    lambda rng: f"epidemic:n={log_int(rng, 8, 700)}",
    lambda rng: f"qcd:l={rng.randint(3, 9)}",
    lambda rng: f"rmat:scale={rng.randint(6, 17)},edge={rng.randint(2, 24)}",
    lambda rng: f"mycielskian:k={rng.randint(4, 13)}",
    lambda rng: f"chessboard:m={rng.randint(4, 7)},n={rng.randint(4, 8)},k={rng.randint(1, 3)}",
]

# Older kept files were drawn without them.
NEWER = [fem3d, coupled, discontinuous, communities, web, features, wide_table, hypersparse, arrow,
         periodic]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--newer", action="store_true", help="draw from the newer families only")
    parser.add_argument("--entries", metavar="LEAST,MOST",
                        help="about so many; without epidemic, qcd, rmat, mycielskian, chessboard")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    families = NEWER if arguments.newer else FAMILIES
    if arguments.entries:
        ENTRIES[:] = [int(number) for number in arguments.entries.split(",")]
        ROWS[1] = ENTRIES[1]
        families = NEWER if arguments.newer else SIZED
    for _ in range(arguments.count):
        print(rng.choice(families)(rng) + f",seed={rng.randint(0, 99)}")


if __name__ == "__main__":
    main()
