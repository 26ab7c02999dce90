import { type FusedLstmAttrs, writeTensor } from './fusedLSTM.ts';
import { TensorLstmCall, shapeOf, type LstmRoute, type LstmTensors } from './LstmRoutes.ts';
import type { LstmProgram } from './LstmProgram.ts';
import type { TensorflowBackend } from './TensorflowOps.ts';
import type { TensorflowLstm, TensorflowLstmCall } from './TensorflowLstm.ts';

export function tensorflowCall(backend: TensorflowBackend, inputs: LstmTensors, attrs: FusedLstmAttrs): TensorflowLstmCall {
  const { x, kernel, recurrentKernel, bias } = inputs;
  const ids = backend.getInputTensorIds([x, kernel, recurrentKernel, bias]) as [number, number, number, number];
  return { ...shapeOf(inputs), x: ids[0], kernel: ids[1], recurrentKernel: ids[2], bias: ids[3], ...attrs };
}

export function blockRoute(program: TensorflowLstm): LstmRoute {
  return {
    name: 'block',
    forward: (backend, inputs, attrs) => backend.createOutputTensor(program.forward(tensorflowCall(backend, inputs, attrs))),
  };
}

/** A program on plain arrays, on the CPU. It finishes small batches before a GPU or a TensorFlow op has started. */
export function simdRoute(program: LstmProgram): LstmRoute {
  return {
    name: 'simd',
    forward(backend, inputs, { returnSequences, tapeId }) {
      const call = new TensorLstmCall(inputs, { returnSequences, tapeId }, ({ dataId }) => backend.readSync(dataId) as Float32Array);
      const { batch, steps, units } = call;
      const y = program.forward(call);
      const outputShape = returnSequences ? [batch, steps, units] : [batch, units];
      // Copies, because the program reuses its memory at the next call, and the backend keeps the array.
      return writeTensor(backend, y.slice(), outputShape);
    },
  };
}
