import * as tf from '@tensorflow/tfjs-core';
import { ServiceError } from '../../../core/ServiceError.ts';
import { lstmCall, nextTapeId, type TensorAccess } from './fusedLSTM.ts';
import type { SummaryCall, SummaryProgram } from './SummaryProgram.ts';

export const LSTM_SUMMARY = 'LstmSummary';
export const LSTM_SUMMARY_GRAD = 'LstmSummaryGrad';

type SummaryTensors = Readonly<Record<'x' | 'kernel' | 'recurrentKernel' | 'bias' | 'attention', tf.Tensor>>;

/** Whether the current backend has the kernel. */
export const hasLstmSummary = (): boolean => tf.getKernel(LSTM_SUMMARY, tf.getBackend()) !== undefined;

/**
 * An LSTM and attention over its states as one kernel for training, so that the states need not become tensors.
 *
 * @param inputs x [B, T, F]; kernel [F, 4H], recurrentKernel [H, 4H] and bias [4H] with gates in Keras order i, f, c, o; attention [H, 1]
 * @returns [B, 2H]: the last state, then the mean of all states, weighted by the softmax of their products with `attention`; first gradients
 *   exist for all inputs except `x`
 * @throws Error if the current backend does not have the kernel (hasLstmSummary); ServiceError `inference.failed` for the gradient of `x`
 */
export function lstmSummary(inputs: SummaryTensors): tf.Tensor2D {
  return tf.engine().runKernel(LSTM_SUMMARY, { ...inputs }, { tapeId: nextTapeId() });
}

/** Registers the gradient for every backend. Called by openRuntime. */
export function registerLstmSummaryGradient(): void {
  tf.registerGradient({
    kernelName: LSTM_SUMMARY,
    inputsToSave: ['x', 'kernel', 'recurrentKernel', 'bias', 'attention'],
    gradFunc(dy, saved, attrs) {
      const [x, kernel, recurrentKernel, bias, attention] = saved as tf.Tensor[];
      // Runs here, as the gradient of FusedLSTM.
      const inputs = { x: x!, kernel: kernel!, recurrentKernel: recurrentKernel!, bias: bias!, attention: attention!, dy: dy as tf.Tensor };
      const gradients = tf.engine().runKernel<tf.Tensor[]>(LSTM_SUMMARY_GRAD, inputs, attrs);
      const [ofKernel, ofRecurrent, ofBias, ofAttention] = gradients.map((gradient) => () => gradient);
      const ofX = (): never => {
        throw new ServiceError('inference.failed', 'lstmSummary has no gradient of x');
      };
      return { x: ofX, kernel: ofKernel!, recurrentKernel: ofRecurrent!, bias: ofBias!, attention: ofAttention! };
    },
  });
}

/** Registers the kernel and its gradient for one backend. */
export function registerLstmSummary(backendName: string, program: SummaryProgram, { read, write }: TensorAccess): void {
  const callOf = (backend: tf.KernelBackend, inputs: tf.NamedTensorInfoMap, tapeId: number): SummaryCall => ({
    ...lstmCall(inputs as SummaryTensors, { returnSequences: true, tapeId }, (tensor) => read(backend, tensor)),
    attention: read(backend, inputs['attention']!),
  });
  const register = (
    kernelName: string,
    run: (call: SummaryCall, backend: tf.KernelBackend, dy: tf.TensorInfo | undefined) => tf.TensorInfo | tf.TensorInfo[],
  ): void =>
    tf.registerKernel({
      kernelName,
      backendName,
      kernelFunc({ inputs, backend, attrs }) {
        const on = backend as tf.KernelBackend;
        return run(callOf(on, inputs, (attrs as unknown as { tapeId: number }).tapeId), on, inputs['dy']);
      },
    });
  register(LSTM_SUMMARY, (call, backend) => write(backend, program.forwardSummary(call), [call.batch, 2 * call.units]));
  register(LSTM_SUMMARY_GRAD, (call, backend, dy) => {
    const { kernel, recurrentKernel, bias, attention } = program.backwardSummary(call, read(backend, dy!));
    const { columns, units } = call;
    return [
      write(backend, kernel, [columns, 4 * units]),
      write(backend, recurrentKernel, [units, 4 * units]),
      write(backend, bias, [4 * units]),
      write(backend, attention, [units, 1]),
    ];
  });
}
