import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import type { BackendCandidate, CardFault } from '../Runtime.ts';
import { NVIDIA_DEVICES } from '../nativeParts.ts';
import { openWasm } from '../wasmBackend.ts';
import { CardState } from './CardState.ts';
import { ChosenTrunk } from './ChosenTrunk.ts';
import { CudaDriver } from './CudaDriver.ts';
import { CudaSummary, summaryOnCard } from './CudaSummary.ts';
import { CudaTrunk } from './CudaTrunk.ts';

function warn({ message, isTriedAgain }: CardFault): void {
  process.emitWarning(
    `${message}; ${isTriedAgain ? 'the card is tried again in a minute' : 'the card is used again after a restart'}`,
    'CudaWarning',
  );
}

/** WebAssembly, and batches that an NVIDIA card computes faster there, through the driver alone. */
export const cudaBackend: BackendCandidate = {
  name: 'cuda',
  isNative: true,
  missing: () =>
    NVIDIA_DEVICES.some((device) => existsSync(device))
      ? undefined
      : {
          reason: `no NVIDIA driver is loaded (there is no ${NVIDIA_DEVICES[0]})`,
          remedy: 'install the driver of your GPU, version 525 or newer; start a container with --gpus all',
        },
  async open(_environment, onFault = warn) {
    // Workers share the cards out among themselves; other processes have the first.
    const driver = new CudaDriver((cluster.worker?.id ?? 1) - 1);
    const state = new CardState(onFault);
    let chosen: ChosenTrunk | undefined;
    const opened = await openWasm({
      trunk: (simd) => (chosen = new ChosenTrunk({ simd, card: new CudaTrunk(driver), state })),
      summary: (simd) => summaryOnCard(new CudaSummary(driver), simd, state),
    });
    return { description: `CUDA: ${driver.description}; ${opened.description}`, tune: (shape) => chosen!.tune(shape) };
  },
};
