import * as tf from '@tensorflow/tfjs-core';
import type { TrunkProgram } from './SimdLstmProgram.ts';

const programs = new Map<string, TrunkProgram>();

/** Computes networks up to their trunk while this backend of TensorFlow.js is the current one: from arrays to arrays, without its tensors. */
export const registerTrunk = (backendName: string, program: TrunkProgram): void => void programs.set(backendName, program);

/** That of the current backend; undefined: it has none. */
export const trunkProgram = (): TrunkProgram | undefined => programs.get(tf.getBackend());

/** Whether the current backend is TensorFlow, whose ops may be faster than the program. */
export const isOnTensorflow = (): boolean => tf.getBackend() === 'tensorflow';
