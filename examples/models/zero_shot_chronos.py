"""Chronos on the log realized variance of 5 minutes, without training. Packages: numpy, torch, chronos-forecasting.

CHRONOS_WEIGHTS names the folder of the weights, such as a clone of amazon/chronos-bolt-small; nothing is downloaded.
"""

import os
import sys

import numpy as np
from market import Grid, serve_features, size

weights = os.environ.get("CHRONOS_WEIGHTS", "")
if not os.path.isfile(os.path.join(weights, "config.json")):
    sys.exit("skipped: CHRONOS_WEIGHTS names no folder of weights")

import torch  # noqa: E402
from chronos import BaseChronosPipeline  # noqa: E402

BLOCK = 30
pipeline = BaseChronosPipeline.from_pretrained(weights, local_files_only=True)
grid = Grid(10, keep=BLOCK * 512)


def features_of(window):
    grid.settle()
    whole = len(grid.returns) // BLOCK * BLOCK
    if whole < 32 * BLOCK:
        return [size(grid.ewma(600), window)]
    means = (grid.returns[len(grid.returns) - whole :] ** 2).reshape(-1, BLOCK).mean(axis=1)
    logs = torch.tensor(np.log(means + 0.02 * means.mean() + 1e-18), dtype=torch.float32)
    _, ahead = pipeline.predict_quantiles(logs, prediction_length=max(1, window["horizon_ms"] // 300_000), quantile_levels=[0.5])
    return [size(float(torch.exp(ahead[0]).mean()) / 10, window)]


serve_features(features_of, 1, grid.add)
