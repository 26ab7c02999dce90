import { flag, oneOf, text, whole, type SettingRow } from './SettingRow.ts';
import { BACKEND_CHOICES } from './backendChoices.ts';

/** The model version, the rules, and the backend that runs the network. */
export const MODEL_SETTINGS = {
  MODELS_DIR: text('', 'Folder for your own model versions, which several machines may share; empty: DATA_DIR/models.'),
  MODEL: text(
    '',
    'Id of the default model version, whatever is promoted; empty: the promoted version, otherwise the newest one that ships with tickmark.',
  ),
  SHADOW_MODEL: text(
    '',
    'Id of a version to try on live traffic: when nothing is queued, it gets the same requests as the default version, and its results are only counted and logged; empty: none.',
  ),
  RULES_FILE: text('', 'Rule set to evaluate; empty: the one that ships with tickmark.'),
  RUNTIME_BACKEND: oneOf(
    BACKEND_CHOICES,
    'auto',
    'TensorFlow.js backend; auto uses the first of tensorflow-cuda, wasm and cpu that works, training before them cuda. native trains networks faster that are larger than the shipped one. cuda computes large batches and training on an NVIDIA GPU through its driver, the rest with wasm.',
  ),
  INFERENCE_PROCESS: oneOf(
    ['auto', 'true', 'false'],
    'auto',
    'true runs the network in one child process for all workers, which is restarted if it ends; false runs it in the worker that received the request; auto uses a child process for tensorflow-cuda and native only, because native code can crash.',
  ),
  TF_NUM_INTRAOP_THREADS: whole(1, [0, 256], 'Threads inside one TensorFlow operation; 0: one per processor.'),
  TF_NUM_INTEROP_THREADS: whole(1, [0, 256], 'TensorFlow operations that run at the same time; 0: one per processor.'),
  TF_ENABLE_ONEDNN_OPTS: oneOf(
    ['0', '1'],
    '0',
    '1 turns on the oneDNN kernels of TensorFlow; they are slower for small networks, and their sums differ in the last bits.',
  ),
  TF_CPU_ALLOCATOR_USE_BFC: flag(
    true,
    'true: TensorFlow keeps freed memory for its next tensors; false: it returns freed memory to the system each time.',
  ),
  TF_FORCE_GPU_ALLOW_GROWTH: flag(true, 'true: TensorFlow allocates GPU memory as needed; false: it allocates nearly all of it at once.'),
  NVIDIA_TF32_OVERRIDE: oneOf(
    ['0', '1'],
    '0',
    'TensorFloat-32 on a GPU, which rounds factors to 10 bits: 0 turns it off, and answers equal those of a processor; 1 turns it on for speed.',
  ),
  TF_CPP_MIN_LOG_LEVEL: oneOf(
    ['0', '1', '2', '3'],
    '2',
    'Lowest severity that TensorFlow itself logs on standard error: 0 all, 2 errors, 3 fatal errors.',
  ),
} satisfies Record<string, SettingRow>;
