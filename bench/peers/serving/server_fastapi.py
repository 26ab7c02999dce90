"""A service as one would write it in Python: FastAPI, orjson, numpy, ONNX Runtime, one worker of uvicorn.

Environment: PORT, MODEL_FILE (ONNX), GOLDEN_FILE (golden.json of the version), KEYS (with commas). First line on standard output, once the model is
loaded: {"runtime": .., "logits": [[..] for each golden row]}. Features are simpler than ours: see docs/benchmarks/serving.md.
"""
import hashlib
import json
import os
from collections import deque

import fastapi
import numpy as np
import onnxruntime as ort
import orjson
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response, WebSocket, WebSocketDisconnect

ENTRIES, STEPS, PATCH, COLUMNS, CONTEXT = 501, 96, 5, 10, 71
KEYS = {hashlib.sha256(key.encode()).hexdigest() for key in os.environ["KEYS"].split(",")}

options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = ort.InferenceSession(os.environ["MODEL_FILE"], options, providers=["CPUExecutionProvider"])
app = FastAPI()


def logits_of(x: np.ndarray, context: np.ndarray, baseline: np.ndarray) -> np.ndarray:
    return session.run(["logits"], {"x": x, "context": context, "baseline": baseline})[0][0]


def features(price: np.ndarray, ms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The last 480 log returns of 500 ticks in 96 patches of 5: x [1,96,10]; the last patches again and a 1: context [1,71]."""
    logs = np.log(price)
    r = np.diff(logs)[-STEPS * PATCH:].reshape(STEPS, PATCH) * 1e4
    dt = np.diff(ms)[-STEPS * PATCH:].reshape(STEPS, PATCH) / 1e3
    level = ((logs[1:] - logs[0]) * 1e4)[-STEPS * PATCH:].reshape(STEPS, PATCH)
    f = np.empty((STEPS, COLUMNS))
    f[:, 0] = r.sum(1)
    f[:, 1] = r.std(1)
    f[:, 2] = r.min(1)
    f[:, 3] = r.max(1)
    f[:, 4] = np.abs(r).sum(1)
    f[:, 5] = (r > 0).mean(1)
    f[:, 6] = (r < 0).mean(1)
    f[:, 7] = np.log1p(dt).mean(1)
    f[:, 8] = np.log1p(dt).max(1)
    f[:, 9] = level[:, -1]
    x = ((f - f.mean(0)) / (f.std(0) + 1e-9)).astype(np.float32)
    context = np.append(x[-7:].ravel(), np.float32(1))
    baseline = np.log(f[:, 1].mean() + 1e-9)
    return x[None], context[None].astype(np.float32), np.array([[baseline]], np.float32)


def infer(body: dict) -> np.ndarray:
    stamps, prices = body["Timestamp"], body["Price"]
    if len(stamps) != ENTRIES or len(prices) != ENTRIES:
        raise ValueError(f"expected {ENTRIES} entries")
    ms = np.array(stamps, dtype="datetime64[ms]").astype(np.int64)
    price = np.array(prices, dtype=np.float64)
    if not (np.isfinite(price).all() and (price[:-1] > 0).all() and price[-1] == 0):
        raise ValueError("bad Price")
    steps = np.diff(ms)
    if (steps < 0).any() or steps[-1] <= 0:
        raise ValueError("Timestamp is not sorted")
    return logits_of(*features(price[:-1], ms[:-1]))


async def require_key(request: Request) -> None:
    key = request.headers.get("api-key")
    if key is None or hashlib.sha256(key.encode()).hexdigest() not in KEYS:
        raise HTTPException(401, "invalid API key")


@app.post("/auth/ti-tick", dependencies=[Depends(require_key)])
async def ti_tick(request: Request) -> Response:
    try:
        body = orjson.loads(await request.body())
        logits = infer(body)
    except (KeyError, TypeError, ValueError) as error:
        raise HTTPException(422, str(error))
    if not np.isfinite(logits).all():
        raise HTTPException(500, "model output")
    return Response(orjson.dumps({stamp: {"trend_identified": None} for stamp in body["Timestamp"]}), media_type="application/json")


def forecast_of(price: deque, ms: deque) -> np.ndarray:
    return logits_of(*features(np.array(price), np.array(ms)))


@app.websocket("/live")
async def live(socket: WebSocket) -> None:
    """Messages of ticks of one series; a forecast at the first tick of each second, from the last 500 ticks."""
    key = socket.headers.get("api-key")
    if key is None or hashlib.sha256(key.encode()).hexdigest() not in KEYS:
        await socket.close(4401)
        return
    await socket.accept()
    price, ms = deque(maxlen=ENTRIES - 1), deque(maxlen=ENTRIES - 1)
    second, n = -1, 0
    try:
        while True:
            body = orjson.loads(await socket.receive_text())
            times = np.array(body["Timestamp"], dtype="datetime64[ms]").astype(np.int64).tolist()
            prices = body["Price"]
            if len(times) != len(prices) or not all(0 < each < 1e12 for each in prices) or times != sorted(times):
                await socket.close(1008)
                return
            for time, each in zip(times, prices):
                price.append(each)
                ms.append(time)
                if time // 1000 > second and len(price) == ENTRIES - 1:
                    logits = forecast_of(price, ms)
                    await socket.send_text(orjson.dumps({"type": "forecast", "n": n, "logits": logits[:3].tolist()}).decode())
                    n += 1
                second = time // 1000
    except WebSocketDisconnect:
        pass


def golden_logits() -> list[list[float]]:
    with open(os.environ["GOLDEN_FILE"]) as file:
        rows = json.load(file)["rows"]
    as_array = lambda values, *shape: np.array(values, np.float32).reshape(shape)
    return [
        logits_of(as_array(row["sequence"], 1, STEPS, COLUMNS), as_array(row["context"], 1, CONTEXT), as_array(row["baseline"], 1, 1)).tolist()
        for row in rows
    ]


if __name__ == "__main__":
    runtime = f"FastAPI {fastapi.__version__}, ONNX Runtime {ort.__version__}"
    print(json.dumps({"runtime": runtime, "logits": golden_logits()}), flush=True)
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), loop="uvloop", http="httptools", access_log=False, log_level="warning", backlog=2048)
