"""Times of an LSTM on an NVIDIA card as JSON lines, for bench/cuda.ts: PyTorch's, which is cuDNN's, and our kernel on the same card.

usage: cudnnPeer.py PTX 'H,F,T,B' ... 'train,H,F,T,B' ...   microseconds: the median of many calls. `device`: between two events on the card.
`host`: from pinned memory to pinned memory. PyTorch computes the LSTM alone; our kernel also attention and trunk. First compares ours with
float64. After `train`, PyTorch alone: LSTM, attention, and the gradients of their weights.
"""
import ctypes
import gzip
import json
import math
import statistics
import sys
import time

import numpy as np
import torch

CONTEXT, OUTPUTS, MOST_COLUMNS = 71, 80, 12
SHARED_FLOATS = 48 * 256
driver = ctypes.CDLL("libcuda.so.1")


def check(code):
    if code != 0:
        raise SystemExit(f"the driver answered {code}")


def pack(kernel, recurrent, bias, units, columns):
    """As packLstm.ts."""
    threads, held, extra = 4 * units, units // 4, MOST_COLUMNS // 4
    scales = np.array([-1, -1, -2, -1]) * math.log2(math.e)
    packed = np.zeros((held + extra + 1, threads, 4), np.float32)
    unit, lane = np.arange(threads) // 4, np.arange(threads) % 4
    for gate in range(4):
        at = gate * units + unit
        for k in range(held):
            packed[k, :, gate] = recurrent[k // 4 * 16 + lane * 4 + k % 4, at] * scales[gate]
        for k in range(extra):
            column = k * 4 + lane
            real = column < columns
            packed[held + k, real, gate] = kernel[column[real], at[real]] * scales[gate]
        packed[held + extra, lane == 0, gate] = bias[at[lane == 0]] * scales[gate]
    return packed


def median_us(call, rounds):
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def device_us(call, rounds):
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        before.record()
        call()
        after.record()
        after.synchronize()
        times.append(before.elapsed_time(after))
    return statistics.median(times) * 1e3


def reference(x, kernel, recurrent, bias, attention, context, trunk, trunk_bias):
    """[B, outputs] in float64."""
    x, kernel, recurrent, bias, attention, context, trunk, trunk_bias = (
        torch.from_numpy(a).cuda().double() for a in (x, kernel, recurrent, bias, attention, context, trunk, trunk_bias)
    )
    h = torch.zeros(x.shape[0], recurrent.shape[0], device="cuda", dtype=torch.float64)
    c, states = h, []
    for t in range(x.shape[1]):
        i, f, g, o = (x[:, t] @ kernel + h @ recurrent + bias).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    states = torch.stack(states, 1)
    mean = (torch.softmax(states @ attention, 1)[:, :, None] * states).sum(1)
    return torch.relu(torch.cat([h, mean, context], 1) @ trunk + trunk_bias)


def run(module, units, columns, steps, batch):
    random = np.random.default_rng(1)
    draw = lambda *shape: random.standard_normal(shape).astype(np.float32)
    x, context = draw(batch, steps, columns), draw(batch, CONTEXT)
    kernel, recurrent, bias = draw(columns, 4 * units) * 0.4, draw(units, 4 * units) * (0.8 / math.sqrt(units)), draw(4 * units) * 0.3
    attention, trunk, trunk_bias = draw(units), draw(2 * units + CONTEXT, OUTPUTS) * 0.2, draw(OUTPUTS) * 0.1
    on_card = [torch.from_numpy(a).cuda() for a in (x, context, pack(kernel, recurrent, bias, units, columns), attention, trunk, trunk_bias)]
    on_card += [torch.full((batch, steps, units), math.nan, device="cuda"), torch.full((batch, OUTPUTS), math.nan, device="cuda")]
    function = ctypes.c_void_p()
    check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"trunkForward"))
    chunk = min(steps, (SHARED_FLOATS - 2 * units) // columns)
    after = units // 4 * (units + 2) + 2 * units + CONTEXT
    shared = 4 * (2 * units + max(after, chunk * columns))
    values = [ctypes.c_void_p(t.data_ptr()) for t in on_card] + [ctypes.c_int(n) for n in (steps, columns, CONTEXT, OUTPUTS, chunk)]
    given = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
    ours = lambda: check(driver.cuLaunchKernel(function, batch, 1, 1, 4 * units, 1, 1, shared, None, given, None))
    ours()
    torch.cuda.synchronize()
    expected = reference(x, kernel, recurrent, bias, attention, context, trunk, trunk_bias)
    error = ((on_card[-1].double() - expected).abs() / expected.abs().clamp(min=1)).max().item()

    lstm = torch.nn.LSTM(columns, units, batch_first=True).cuda()
    pinned, result = torch.from_numpy(x).pin_memory(), torch.empty(batch, units, pin_memory=True)

    def peer():
        states, _ = lstm(pinned.cuda(non_blocking=True))
        result.copy_(states[:, -1], non_blocking=True)
        torch.cuda.synchronize()

    rounds = 30 if batch < 256 else 15
    times = {"device": device_us(ours, rounds), "peerDevice": device_us(lambda: lstm(on_card[0]), rounds), "peerHost": median_us(peer, rounds)}
    print(json.dumps({"pass": "forward", "units": units, "steps": steps, "batch": batch, "error": error, **times}), flush=True)


def train(units, columns, steps, batch):
    lstm, attention = torch.nn.LSTM(columns, units, batch_first=True).cuda(), torch.randn(units, 1, device="cuda", requires_grad=True)
    x, dy = torch.randn(batch, steps, columns).pin_memory(), torch.randn(batch, 2 * units).pin_memory()
    weights = [*lstm.parameters(), attention]
    results = [torch.empty(weight.shape, pin_memory=True) for weight in weights]

    def step():
        states, _ = lstm(x.cuda(non_blocking=True))
        mean = (torch.softmax(states @ attention, 1) * states).sum(1)
        summary = torch.cat([states[:, -1], mean], 1)
        for result, gradient in zip(results, torch.autograd.grad(summary, weights, dy.cuda(non_blocking=True))):
            result.copy_(gradient, non_blocking=True)
        torch.cuda.synchronize()

    print(json.dumps({"pass": "train", "units": units, "steps": steps, "batch": batch, "peerHost": median_us(step, 30)}), flush=True)


def main():
    file, *shapes = sys.argv[1:]
    torch.zeros(1, device="cuda")
    module = ctypes.c_void_p()
    with gzip.open(file) as ptx:
        check(driver.cuModuleLoadData(ctypes.byref(module), ptx.read() + b"\0"))
    with torch.no_grad():
        for shape in (shape for shape in shapes if not shape.startswith("train,")):
            run(module, *(int(size) for size in shape.split(",")))
    for shape in (shape for shape in shapes if shape.startswith("train,")):
        train(*(int(size) for size in shape.split(",")[1:]))


main()
