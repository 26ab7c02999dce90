import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { installRoot } from '../../core/packageRoot.ts';
import type { BackendCandidate, Missing, OpenedBackend, ProcessEnvironment } from './Runtime.ts';
import { FUSED_LSTM, FUSED_LSTM_GRAD, type FusedLstmAttrs, type LstmTensors, shapeOf } from './lstm/fusedLSTM.ts';
import { instantiateLstmModule } from './lstm/lstmModule.ts';
import { installedParts, NVIDIA_DEVICES, type NativeParts, type NativeRecord } from './nativeParts.ts';
import { registerTrunk } from './lstm/lstmTrunk.ts';
import { openTrunkProgram } from './lstm/openTrunkProgram.ts';
import { SimdLstmProgram } from './lstm/SimdLstmProgram.ts';
import type { TensorflowBackend } from './lstm/TensorflowOps.ts';
import { TensorflowLstm, type TensorflowLstmCall } from './lstm/TensorflowLstm.ts';

const BACKEND = 'tensorflow';

/** Loads tfjs-node-gpu with the library that setup-native installed for it. Throws if the parts cannot be loaded. */
function loadTensorflow(parts: NativeParts): TensorflowBackend {
  const load = createRequire(path.join(parts.tfjsNode, 'package.json'));
  // tfjs-node-gpu 4.22 calls both at run time; Node.js 23 removed the first and warns about the second.
  const util = load('node:util') as { isNullOrUndefined?: (value: unknown) => boolean; isArray: (value: unknown) => boolean };
  util.isNullOrUndefined ??= (value) => value === null || value === undefined;
  util.isArray = Array.isArray;
  if (tf.findBackend(BACKEND) === null) load(parts.tfjsNode);
  if (!tf.engine().registryFactory[BACKEND])
    throw new Error(`tfjs-node-gpu in ${parts.tfjsNode} uses a different TensorFlow.js than tickmark`);
  return tf.findBackend(BACKEND) as TensorflowBackend;
}

function tensorflowCall(backend: TensorflowBackend, inputs: LstmTensors, attrs: FusedLstmAttrs): TensorflowLstmCall {
  const { x, kernel, recurrentKernel, bias } = inputs;
  const ids = backend.getInputTensorIds([x, kernel, recurrentKernel, bias]) as [number, number, number, number];
  return { ...shapeOf(inputs), x: ids[0], kernel: ids[1], recurrentKernel: ids[2], bias: ids[3], ...attrs };
}

function registerKernels(block: TensorflowLstm): void {
  tf.registerKernel({
    kernelName: FUSED_LSTM,
    backendName: BACKEND,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as TensorflowBackend;
      return on.createOutputTensor(block.forward(tensorflowCall(on, inputs as LstmTensors, attrs as unknown as FusedLstmAttrs)));
    },
  });
  tf.registerKernel({
    kernelName: FUSED_LSTM_GRAD,
    backendName: BACKEND,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as TensorflowBackend;
      const given = inputs as LstmTensors & { readonly dy: tf.TensorInfo };
      const [dy] = on.getInputTensorIds([given.dy]) as [number];
      const gradients = block.backward(tensorflowCall(on, given, attrs as unknown as FusedLstmAttrs), dy);
      return gradients.map((gradient) => on.createOutputTensor(gradient));
    },
  });
}

/** Loads a variant's parts and registers the kernels; `device` decides whether TensorFlow may use a GPU. */
export async function openNativeParts(
  { parts, record }: { readonly parts: NativeParts; readonly record?: NativeRecord },
  device: 'gpu' | 'cpu',
  environment: ProcessEnvironment,
): Promise<OpenedBackend> {
  // -1 hides all GPUs from TensorFlow.
  if (device === 'cpu') environment['CUDA_VISIBLE_DEVICES'] = '-1';
  const { binding } = loadTensorflow(parts);
  const isOnGpu = binding.isUsingGpuDevice();
  if (device === 'gpu' && !isOnGpu) throw new Error('TensorFlow was loaded and found no GPU that it can use; nvidia-smi must show one');
  if (device === 'cpu' && isOnGpu) throw new Error('TensorFlow is loaded in this process already, with the GPU');
  if (!(await tf.setBackend(BACKEND))) throw new Error('TensorFlow.js did not accept its tensorflow backend');
  registerKernels(new TensorflowLstm(binding));
  registerTrunk(BACKEND, await openTrunkProgram(new SimdLstmProgram(await instantiateLstmModule())));
  const on = isOnGpu ? `CUDA${cudaVersions(record)}` : 'native CPU';
  return { description: `TensorFlow ${binding.TF_Version} on ${on}, TensorFlow.js ${tf.version_core}` };
}

function cudaVersions(record: NativeRecord | undefined): string {
  const [cuda, cudnn] = ['nvidia-cuda-runtime-cu12', 'nvidia-cudnn-cu12'].map((project) => record?.wheels[project]);
  return cuda === undefined || cudnn === undefined ? '' : ` ${cuda} with cuDNN ${cudnn}`;
}

const NOT_SET_UP = 'its libraries are not set up';

/** Checks the files of the parts: they may be missing, or made for another TensorFlow.js, whose functions the kernels call. */
export function missingParts(installed: ReturnType<typeof installedParts>): Missing | undefined {
  if (installed === undefined) return { reason: NOT_SET_UP, remedy: 'run npm run setup:native' };
  const { parts, record } = installed;
  if (record.tfjsNode === tf.version_core) return undefined;
  return {
    reason: `its parts are for TensorFlow.js ${record.tfjsNode}, but tickmark uses ${tf.version_core}`,
    remedy: `run npm run setup:native${parts.variant === 'cuda' ? ' -- --cuda' : ''}`,
  };
}

async function openInstalled(device: 'gpu' | 'cpu', environment: ProcessEnvironment): Promise<OpenedBackend> {
  const installed = installedParts(installRoot());
  if (installed === undefined) throw new Error(NOT_SET_UP);
  return openNativeParts(installed, device, environment);
}

/** TensorFlow on the CPU. */
export const nativeBackend: BackendCandidate = {
  name: 'native',
  isNative: true,
  missing: () => missingParts(installedParts(installRoot())),
  open: (environment) => openInstalled('cpu', environment),
};

/** TensorFlow on an NVIDIA GPU. */
export const tensorflowCudaBackend: BackendCandidate = {
  name: 'tensorflow-cuda',
  isNative: true,
  missing: () => {
    const installed = installedParts(installRoot());
    if (installed?.parts.variant !== 'cuda')
      return { reason: NOT_SET_UP, remedy: 'on a machine with an NVIDIA GPU run npm run setup:native -- --cuda' };
    const missing = missingParts(installed);
    if (missing !== undefined) return missing;
    if (NVIDIA_DEVICES.some((device) => existsSync(device))) return undefined;
    return {
      reason: `no NVIDIA driver is loaded (there is no ${NVIDIA_DEVICES[0]})`,
      remedy: 'install the driver of your GPU, version 525 or newer',
    };
  },
  open: (environment) => openInstalled('gpu', environment),
};
