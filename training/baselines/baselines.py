"""Logistic regression and boosted trees on the context columns, on the folds that tickmark sends.

Reads a JSON line from standard input: {"rows": N, "columns": C, "context": file of N*C little-endian float32,
"offset": file of N float64 (the EWMA logistic's input), "label": file of N bytes, "folds": [{"train": [...], "test": [...]}]}.
Writes {"logistic": [...], "lightgbm": [...], "lightgbm_offset": [...]} to standard output: one probability per row, null if no
fold tests it. With no packages it ends with code 3 and says which one is missing.
"""

import json
import sys

try:
    import lightgbm
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

TREES = {
    "objective": "binary",
    "learning_rate": 0.03,
    "num_leaves": 15,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "verbosity": -1,
    "num_threads": 1,
    "seed": 1,
}
ROUNDS = 200


def logit_of_offset(x, y, train):
    """The EWMA logistic as a logit for all rows, fitted on the training rows."""
    model = LogisticRegression(C=1e6).fit(x[train, None], y[train])
    return model.decision_function(x[:, None])


def main():
    job = json.loads(sys.stdin.readline())
    n, columns = job["rows"], job["columns"]
    context = np.fromfile(job["context"], dtype="<f4").reshape(n, columns)
    ewma = np.fromfile(job["offset"], dtype="<f8")
    y = np.fromfile(job["label"], dtype=np.uint8)
    out = {name: np.full(n, np.nan) for name in ("logistic", "lightgbm", "lightgbm_offset")}
    for fold in job["folds"]:
        train, test = np.array(fold["train"], dtype=int), np.array(fold["test"], dtype=int)
        if len(test) == 0 or len(train) < 200 or len(set(y[train])) < 2:
            continue
        linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500)).fit(context[train], y[train])
        out["logistic"][test] = linear.predict_proba(context[test])[:, 1]
        plain = lightgbm.train(TREES, lightgbm.Dataset(context[train], y[train]), ROUNDS)
        out["lightgbm"][test] = plain.predict(context[test])
        offset = logit_of_offset(ewma, y, train)
        trees = lightgbm.train(TREES, lightgbm.Dataset(context[train], y[train], init_score=offset[train]), ROUNDS)
        total = offset[test] + trees.predict(context[test], raw_score=True)
        out["lightgbm_offset"][test] = 1 / (1 + np.exp(-total))
    print(json.dumps({name: [None if np.isnan(v) else float(v) for v in values] for name, values in out.items()}))


main()
