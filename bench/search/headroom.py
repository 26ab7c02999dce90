"""How much can be forecast from the columns of the base: boosted trees, small networks, networks that imitate the trees, and oracles.

python bench/search/headroom.py FOLDER [RESIDUALS...]
FOLDER: made by dumpRows.ts. RESIDUALS: `<cache>/<trial>.residuals` of run.ts, which are added to the best network here.
Needs numpy, scipy, lightgbm. One line for each learner: differences from the EWMA logistic, on groups that were left out.
"""

import json
import os
import struct
import sys

os.environ["OMP_NUM_THREADS"] = "1"
import lightgbm
import numpy as np
from scipy.stats import rankdata

FOLDER = sys.argv[1]
META = json.load(open(f"{FOLDER}/meta.json"))
HEADS = ([0], [1], [2, 3])
SHAPES = {"context": ("f4", "draws"), "baseline": ("f4", "draws"), "theta": ("f8", "draws"), "move": ("f8", None), "head": ("u1", None)}
SHAPES |= {"horizonS": ("f8", None), "instrument": ("u2", None), "originUs": ("f8", None)}
TREES = {"objective": "binary", "learning_rate": 0.03, "num_leaves": 8, "min_data_in_leaf": 400, "feature_fraction": 0.5}
TREES |= {"bagging_fraction": 0.6, "bagging_freq": 1, "lambda_l2": 20, "verbosity": -1, "num_threads": 1, "seed": 1}
ROUNDS = 400
BLOCKS, EMBARGO_US = 5, 3600e6


def load(what):
    count, draws = META[what]["count"], META[what]["draws"]
    rows = {}
    for name, (kind, axis) in SHAPES.items():
        values = np.fromfile(f"{FOLDER}/{what}.{name}", dtype=kind)
        rows[name] = values if axis is None else values.reshape((count, draws, -1) if name == "context" else (count, draws))
    rows["x"] = np.ascontiguousarray(rows["context"][:, :, META["unsigned"]])
    rows["y"] = (np.abs(rows["move"])[:, None] > rows["theta"]).astype("f4")
    rows["sequence"] = np.memmap(f"{FOLDER}/{what}.sequence", dtype="f4", mode="r", shape=(count, 96, 10))
    return rows


def summary(sequence):
    """Means, deviations and last values of the columns of the patches; signed ones as their size."""
    parts = []
    for at in range(0, len(sequence), 8192):
        s = np.asarray(sequence[at : at + 8192])
        s = np.concatenate([s[:, :, 1:7], np.abs(s[:, :, [0, 7, 8]])], 2)
        coarse, fine = s[:, :32], s[:, 32:]
        parts.append(np.concatenate([coarse.mean(1), coarse.std(1), fine.mean(1), fine.std(1), s[:, -8:].mean(1), s[:, -24:].mean(1), s[:, -1]], 1))
    return np.concatenate(parts).astype("f4")


train, test = load("training"), load("test")
FOLDS = [
    {"baselines": f["baselines"], **{k: np.fromfile(f"{FOLDER}/fold{i}.{k}", dtype="i4") for k in ("training", "test")}}
    for i, f in enumerate(META["folds"])
]
ROW = np.concatenate([f["test"] for f in FOLDS])
FOLD = np.concatenate([np.full(len(f["test"]), i) for i, f in enumerate(FOLDS)])
HEAD = test["head"][ROW]
Y = test["y"][ROW, 0].astype(float)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -50, 50)))


def base_logit(rows, index, draw, baselines):
    slope, intercept = (np.array([b[k] for b in baselines]) for k in ("slope", "intercept"))
    head = rows["head"][index]
    return slope[head] * rows["baseline"][index, draw] + intercept[head]


BASE = np.concatenate([base_logit(test, f["test"], 0, f["baselines"]) for f in FOLDS])


def auc(p, y):
    ones = y.sum()
    return (rankdata(p)[y == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(y) - ones))


def report(name, logit):
    p, base = sigmoid(logit), sigmoid(BASE)
    skill = lambda m: 1 - ((p[m] - Y[m]) ** 2).sum() / ((base[m] - Y[m]) ** 2).sum()
    all_rows = np.ones(len(Y), bool)
    cell = test["instrument"][ROW].astype(np.int64) * 10**6 + np.round(test["horizonS"][ROW]).astype(np.int64)
    cells = [cell == c for c in np.unique(cell)]
    cells = [m for m in cells if m.sum() >= 300 and min(Y[m].sum(), m.sum() - Y[m].sum()) >= 40]
    top = lambda q: Y[np.argsort(-q, kind="stable")[: round(0.1 * len(Y))]].mean()
    parts = np.array_split(np.argsort(p, kind="stable"), 15)
    ece = sum(len(i) * abs(p[i].mean() - Y[i].mean()) for i in parts) / len(p)
    per_head = " ".join(f"{auc(p[m], Y[m]) - auc(base[m], Y[m]):+.4f}/{skill(m):+.4f}" for m in (HEAD == h for h in range(4)))
    mean_cell = np.mean([auc(p[m], Y[m]) - auc(base[m], Y[m]) for m in cells])
    figures = f"auc {auc(p, Y) - auc(base, Y):+.4f} cells {mean_cell:+.4f} skill {skill(all_rows):+.4f} ece {ece:.4f}"
    print(f"{name:44s} {figures} p10 {top(p) - top(base):+.3f} | {per_head}", flush=True)


def pairs(index, seed):
    """Each row at its default threshold and at a random one."""
    draw = 1 + np.random.default_rng(seed).integers(0, train["y"].shape[1] - 1, len(index))
    return np.concatenate([index, index]), np.concatenate([np.zeros(len(index), int), draw])


def columns(rows, index, draw, extra):
    parts = [rows["x"][index, draw], rows["baseline"][index, draw][:, None]]
    return np.concatenate(parts + ([extra[index]] if extra is not None else []), 1)


def trees(index, baselines, seed, extra=None):
    at, draw = pairs(index, seed)
    data = lightgbm.Dataset(columns(train, at, draw, extra), train["y"][at, draw], init_score=base_logit(train, at, draw, baselines))
    return lightgbm.train(TREES, data, ROUNDS)


def units(index, baselines, target, count, epochs, decay, seed, batch=256, rate=0.004):
    """One relu layer on the residual of the baseline, by AdamW, as training/context/fitContextUnits.ts. Returns its residual on test rows."""
    random, width = np.random.default_rng(seed), train["x"].shape[2]
    mean = train["x"][index, 0].mean(0)
    std = np.sqrt(np.maximum(1e-6, train["x"][index, 0].var(0)))
    first = random.uniform(-1, 1, (width, count)) * np.sqrt(6 / (width + count))
    w = [first.astype("f4"), np.zeros(count, "f4"), np.zeros(count, "f4"), np.zeros(1, "f4")]
    m, v, kept = [np.zeros_like(a) for a in w], [np.zeros_like(a) for a in w], [a.copy() for a in w]
    offsets = np.stack([base_logit(train, index, d, baselines) for d in range(train["y"].shape[1])], 1)
    steps = len(index) // batch * epochs
    for step in range(steps):
        if step % (steps // epochs) == 0:
            order = random.permutation(len(index))
        start = step % (steps // epochs) * batch
        i = np.tile(order[start : start + batch], 2)
        d = np.concatenate([np.zeros(batch, int), random.integers(1, offsets.shape[1], batch)])
        x = (train["x"][index[i], d] - mean) / std
        z = x @ w[0] + w[1]
        a = np.maximum(z, 0)
        error = (sigmoid(offsets[i, d] + a @ w[2] + w[3]) - target[index[i], d]).astype("f4") / (2 * batch)
        back = np.outer(error, w[2]) * (z > 0)
        now, mix = rate * (1 + np.cos(np.pi * step / steps)) / 2, min(0.995, (1 + step) / (10 + step))
        for j, g in enumerate((x.T @ back, back.sum(0), a.T @ error, error.sum(keepdims=True))):
            m[j], v[j] = 0.9 * m[j] + 0.1 * g, 0.98 * v[j] + 0.02 * g * g
            move = m[j] / (1 - 0.9 ** (step + 1)) / (np.sqrt(v[j] / (1 - 0.98 ** (step + 1))) + 1e-8)
            w[j] = (w[j] - now * (move + (decay * w[j] if j in (0, 2) else 0))).astype("f4")
            kept[j] = (mix * kept[j] + (1 - mix) * w[j]).astype("f4")
    return lambda rows: np.maximum((test["x"][rows, 0] - mean) / std @ kept[0] + kept[1], 0) @ kept[2] + kept[3]


def left_out(learn):
    """Residuals of `learn(index, fold number, baselines)`, one learner for each left-out group and set of heads."""
    found = np.zeros(len(ROW))
    for number, fold in enumerate(FOLDS):
        for heads in HEADS:
            index = fold["training"][np.isin(train["head"][fold["training"]], heads)]
            where = (FOLD == number) & np.isin(HEAD, heads)
            found[where] = learn(index, number, fold["baselines"])(ROW[where])
    return found


def read_residuals(file):
    raw = open(file, "rb").read()
    end = 12 + struct.unpack("<I", raw[8:12])[0]
    arrays = {}
    for a in json.loads(raw[12:end])["arrays"]:
        arrays[a["name"]] = np.frombuffer(raw, "<i4" if a["type"] == "i32" else "<f4", a["length"], end)
        end += 4 * a["length"]
    place = {row: i for i, row in enumerate(arrays["row"])}
    return arrays["residual"][[place[row] for row in ROW]].astype(float)


def own_intercepts(logit):
    """An oracle: the intercept of each instrument and horizon, fitted on the very rows that are judged."""
    logit = logit.copy()
    cell = test["instrument"][ROW].astype(np.int64) * 10**6 + np.round(test["horizonS"][ROW]).astype(np.int64)
    for c in np.unique(cell):
        m, shift = cell == c, 0.0
        for _ in range(30):
            p = sigmoid(logit[m] + shift)
            shift -= ((p - Y[m]).sum() + shift) / ((p * (1 - p)).sum() + 1)
        logit[m] += shift
    return logit


def same_market():
    """Trees that have seen the same instruments at other times: five blocks of time in each, an hour apart."""
    found, baselines = np.zeros(len(ROW)), FOLDS[0]["baselines"]
    times = [np.concatenate([r["originUs"][r["instrument"] == i] for r in (train, test)]) for i in range(len(META["sources"]))]
    edges = np.array([np.quantile(t, np.linspace(0, 1, BLOCKS + 1)) if len(t) else np.zeros(BLOCKS + 1) for t in times])
    at = edges[test["instrument"][ROW]]
    for block in range(BLOCKS):
        low, high = edges[train["instrument"], block], edges[train["instrument"], block + 1]
        used = np.flatnonzero((train["originUs"] + train["horizonS"] * 1e6 < low - EMBARGO_US) | (train["originUs"] > high + EMBARGO_US))
        when = test["originUs"][ROW]
        inside = (when >= at[:, block]) & ((when < at[:, block + 1]) | (block == BLOCKS - 1))
        for heads in HEADS:
            model = trees(used[np.isin(train["head"][used], heads)], baselines, block)
            where = inside & np.isin(HEAD, heads)
            found[where] = model.predict(columns(test, ROW[where], 0, None), raw_score=True, num_iteration=120)
    return base_logit(test, ROW, 0, baselines) + found


taught = {}


def tree_learner(index, number, baselines):
    model = trees(index, baselines, number)
    taught.setdefault(number, np.zeros_like(train["y"]))
    for d in range(train["y"].shape[1]):
        logit = base_logit(train, index, d, baselines) + model.predict(columns(train, index, d, None), raw_score=True)
        taught[number][index, d] = sigmoid(logit)
    return lambda rows: model.predict(columns(test, rows, 0, None), raw_score=True)


boosted = left_out(tree_learner)
report("trees on the context", BASE + boosted)
report("trees on the context x 0.8", BASE + 0.8 * boosted)
extra, extra_test = summary(train["sequence"]), summary(test["sequence"])
with_sequence = left_out(
    lambda index, number, b: (lambda model: lambda rows: model.predict(columns(test, rows, 0, extra_test), raw_score=True))(trees(index, b, number, extra))
)
report("trees on context and sequence x 0.8", BASE + 0.8 * with_sequence)
for count, epochs, decay in ((16, 6, 1.0), (32, 8, 0.3), (32, 20, 0.3)):
    direct = left_out(lambda index, number, b: units(index, b, train["y"], count, epochs, decay, number))
    report(f"{count} units, {epochs} epochs, decay {decay}, x 0.8", BASE + 0.8 * direct)
imitated = left_out(lambda index, number, b: units(index, b, taught[number], 64, 12, 0.1, number))
report("64 units that imitate the trees x 0.8", BASE + 0.8 * imitated)
for file in sys.argv[2:]:
    name, residual = os.path.basename(file).removesuffix(".residuals"), read_residuals(file)
    report(name, BASE + residual)
    report(f"{name} x 0.8", BASE + 0.8 * residual)
    report(f"0.5 {name} + 0.4 trees", BASE + 0.5 * residual + 0.4 * boosted)
    report(f"0.5 {name} + 0.4 imitated", BASE + 0.5 * residual + 0.4 * imitated)
    report(f"oracle: {name}, own intercepts", own_intercepts(BASE + residual))
report("oracle: EWMA, own intercepts", own_intercepts(BASE))
report("trees that saw the same market", same_market())
