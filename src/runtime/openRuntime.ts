import * as tf from '@tensorflow/tfjs-core';
import { ServiceError } from '../core/ServiceError.ts';
import { type BackendCandidate } from './BackendCandidate.ts';
import { cpuBackend } from './cpuBackend.ts';
import { registerFusedLstmGradient } from './fusedLSTM.ts';
import { type Runtime } from './Runtime.ts';
import { wasmBackend } from './wasmBackend.ts';

/** Best first. A new backend is one file and one entry here. */
const LADDER: readonly BackendCandidate[] = [wasmBackend, cpuBackend];

let gradientRegistered = false;

/**
 * Opens the wanted backend, or with `auto` the best one that passes its probe, and makes it TensorFlow.js's default.
 * A process may open several, one after the other: the last one is the default.
 *
 * @throws ServiceError `runtime.refused` with the reason, when the wanted one (or every one) cannot be used
 */
export async function openRuntime(want: 'auto' | 'wasm' | 'cpu'): Promise<Runtime> {
  // Silences the advice that TensorFlow.js prints on a terminal and skips its debug checks.
  if (!tf.env().getBool('PROD')) tf.enableProdMode();
  if (!gradientRegistered) registerFusedLstmGradient();
  gradientRegistered = true;
  const refused: { candidate: string; reason: string }[] = [];
  for (const candidate of LADDER) {
    if (want !== 'auto' && want !== candidate.name) continue;
    try {
      const description = await candidate.open();
      return { backend: candidate.name, tf, description, refused };
    } catch (error) {
      refused.push({ candidate: candidate.name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  const reasons = refused.map(({ candidate, reason }) => `${candidate}: ${reason}`).join('; ');
  throw new ServiceError('runtime.refused', `No backend can be used (${reasons}).`);
}
