"""A Keras LSTM layer behind a pipe, one thread. Blocks on stdin while other peers are measured.

stdin, JSON lines: {"x": base64 f32, "shape": [B, T, F], "units": H, "kernel": .., "recurrent_kernel": .., "bias": ..} sets the layer up and
answers {"y": base64 f32 of [B, H]}; {"calls": n} runs it n times from array to array and answers {"us": microseconds of all}.
"""
import base64
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import numpy as np
import tensorflow as tf
import keras

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def array(text, shape):
    return np.frombuffer(base64.b64decode(text), np.float32).reshape(shape)


def answer(value):
    answers.write(json.dumps(value) + "\n")


answer({"versions": f"Keras {keras.__version__} on TensorFlow {tf.__version__}"})
for line in sys.stdin:
    asked = json.loads(line)
    if "calls" in asked:
        start = time.perf_counter()
        for _ in range(asked["calls"]):
            model.predict_on_batch(x)
        answer({"us": (time.perf_counter() - start) * 1e6})
        continue
    batch, steps, columns = asked["shape"]
    units = asked["units"]
    layer = keras.layers.LSTM(units)
    model = keras.Sequential([keras.Input((steps, columns)), layer])
    shapes = {"kernel": (columns, 4 * units), "recurrent_kernel": (units, 4 * units), "bias": (4 * units,)}
    layer.set_weights([array(asked[name], shape) for name, shape in shapes.items()])
    x = array(asked["x"], (batch, steps, columns))
    y = np.ascontiguousarray(model.predict_on_batch(x), np.float32)
    answer({"y": base64.b64encode(y.tobytes()).decode()})
