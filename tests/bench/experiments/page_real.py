"""The figures of PAPERS.md about real matrices beside their twins, from the kept results."""

import re

from experiments import qcsr, real
from experiments.results import geometric_mean


def measured(line):
    return line["us"]


def of_twins(results):
    return {(real.name_of(m), kind): lines for (m, kind), lines in results.of("real-twin").items()}


def ratios(results, time):
    """{format: the twin's time over that of the real matrix, by matrix and type}"""
    twins, out = of_twins(results), {}
    for (matrix, kind), lines in results.of("real").items():
        key = real.name_of(matrix), kind
        for name in lines.keys() & twins[key].keys():
            out.setdefault(name, {})[key] = time(twins[key][name]) / time(lines[name])
    return out


def choices(results, time=measured):
    """(in how many cases one format is the fastest on both, cases, what the twin's costs on the real matrix)"""
    twins, same, costs = of_twins(results), 0, {}
    for (matrix, kind), lines in results.of("real").items():
        key = real.name_of(matrix), kind
        own, other = (min(of, key=lambda name, of=of: time(of[name])) for of in (lines, twins[key]))
        same += own == other
        costs[key] = time(lines[other]) / time(lines[own]) if other in lines else None
    return same, len(costs), costs


def refused_blocks(results):
    """{(experiment, matrix, type): (rows, columns, how full, bytes) of BCSR's best blocks} where BCSR was refused"""
    out = {}
    for line in results.lines:
        found = re.match(r"bcsr with its best blocks, (\d) x (\d) and full to ([\d.]+), would store (\d+) bytes",
                         line.get("why") or "")
        if found:
            out[line["experiment"], real.name_of(line["matrix"]), line["type"]] = tuple(map(float, found.groups()))
    return out


def figures(of):
    results = of["real-h200"]

    def say(place, template, *values):
        return "Real matrices beside their twins", place, template, values

    launches, replays = ratios(results, measured), ratios(results, qcsr.replayed)
    each = [ratio for by in launches.values() for ratio in by.values()]
    again = [ratio for by in replays.values() for ratio in by.values()]
    names = {"csr-scalar": "CSR", "csr-vector": "`csr-vector`", "ell": "ELL", "jad": "JAD", "coo": "COO",
             "hyb": "HYB", "csr5": "CSR5", "qcsr": "QCSR", "bcsr": "BCSR"}
    for by, place in ((launches, "time by launches"), (replays, "time by replays")):
        yield say(place, "; ".join(f"{title} {{}} ({{}} to {{}})" for title in names.values()),
                  *(value for name in names for some in [by[name].values()]
                    for value in (geometric_mean(some), min(some), max(some))))
    yield say("time by launches", "of {} pairs {} are within 10 percent", len(each), sum(
        0.9 <= ratio <= 1.1 for ratio in each))
    yield say("time by replays", "{} of {} are within 10 percent", sum(0.9 <= ratio <= 1.1 for ratio in again),
              len(again))
    off = [max(abs(geometric_mean(some.values()) - 1) for some in by.values()) for by in (launches, replays)]
    yield say("time by launches", "at most {} percent off, by replays {}", *(100 * share for share in off))
    for place, by in (("time by launches", launches), ("time by replays", replays)):
        for extreme, word in ((min, "least"), (max, "most")):
            name, key = extreme(((name, key) for name, some in by.items() for key in some),
                                key=lambda at, by=by: by[at[0]][at[1]])
            yield say(place, f"{word} {{}}, {names[name]} of {key[0]} in "
                      + {"f32": "single", "f64": "double"}[key[1]], by[name][key])
    sizes = {real.name_of(line["matrix"]) + line["experiment"]: line["nnz"] for line in results.lines
             if line.get("us")}
    yield say("text", "{} and {} entries, those of the twins {} and {}", *(
        sizes[name + experiment] for experiment in ("real", "real-twin") for name in ("add32", "lp_stocfor3")))
    times = [line["us"] for line in results.lines if line.get("us")]
    yield say("text", "take {} to {} us", min(times), max(times))
    own, other = results.of("real"), of["hcghyb-h200"].of("hcghyb")
    files = {kind: lines for (matrix, kind), lines in own.items() if real.name_of(matrix) == "lp_stocfor3"}
    ten = [other["twin:lp_stocfor3,as=paper", kind][name]["us"] / lines[name]["us"]
           for kind, lines in files.items() for name in ("csr-scalar", "csr-vector", "ell", "hyb", "csr5")]
    yield say("lp_stocfor3, with the paper's entries", "{} in the mean of {} ({} to {})", geometric_mean(ten),
              len(ten), min(ten), max(ten))
    ks = [(lines["hyb"]["params"]["hyb.k"], other[key]["hyb"]["params"]["hyb.k"]) for other in [of_twins(results)]
          for (matrix, kind), lines in results.of("real").items() for key in [(real.name_of(matrix), kind)]]
    held, blocks = "what the means hold", refused_blocks(results)
    matrices = [len({name for name, _ in launches[fmt]}) for fmt in ("bcsr", "ell")]
    yield say(held, "BCSR's is of one matrix, ELL's of {}", matrices[1] if matrices[0] == 1 else -1)
    yield say(held, "another K for the twin on {} of {} pairs", sum(a != b for a, b in ks), len(ks))
    twin, file = (blocks[experiment, "add32", "f32"] for experiment in ("real-twin", "real"))
    yield say(held, "best blocks, {} x {}, are {} full for the twin of add32 and {} for the file, and would store {} "
              "and {} bytes", *(twin[:2] if twin[:2] == file[:2] else (-1, -1)), twin[2], file[2], twin[3], file[3])
    kinds = [kind for experiment, name, kind in blocks if (experiment, name) == ("real", "bcsstk04")]
    if len(kinds) != 2 or any(key[:2] == ("real-twin", "bcsstk04") for key in blocks):
        yield say(held, "BCSR is not refused for the file of bcsstk04 alone")
    worst = next(lines["jad"] for (m, kind), lines in own.items() if (real.name_of(m), kind) == ("bcsstk04", "f32"))
    yield say("time by launches", "{} us, by replays {}, and the pair has {} by replays", worst["us"],
              qcsr.replayed(worst), replays["jad"]["bcsstk04", "f32"])
    yield say("lp_stocfor3, with the paper's entries", "HYB's K is {} for the twin and {} for the file", *(
        k.pop() if len(k) == 1 else -1 for k in (
            {other["twin:lp_stocfor3,as=paper", kind]["hyb"]["params"]["hyb.k"] for kind in files},
            {lines["hyb"]["params"]["hyb.k"] for lines in files.values()})))
    yield say("the fastest format", "by replays the same in {} of {} cases", *choices(results, qcsr.replayed)[:2])
    same, cases, costs = choices(results)
    most = max(cost for cost in costs.values() if cost)
    refused = [key for key, cost in costs.items() if cost is None]
    yield say("the fastest format", "the same in {} of {} cases: elsewhere that of the twin takes up to {} percent "
              "longer on the real matrix, but for {} case, bcsstk04 in single", same, cases, 100 * (most - 1),
              len(refused) if refused == [("bcsstk04", "f32")] else -1)
