import { existsSync } from 'node:fs';
import type { BackendCandidate, CardFault } from '../Runtime.ts';
import { NVIDIA_DEVICES } from '../nativeParts.ts';
import { openWasmInNode } from '../wasmBackend.ts';
import { ChosenTrunk } from './ChosenTrunk.ts';
import { CudaDriver } from './CudaDriver.ts';
import { CudaTrunk } from './CudaTrunk.ts';

function warn({ message, isTriedAgain }: CardFault): void {
  process.emitWarning(`${message}; ${isTriedAgain ? 'the card is tried again in a minute' : 'the card is not tried again'}`, 'CudaWarning');
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
          remedy: 'install the driver of your GPU, version 525 or newer',
        },
  async open(_environment, onFault = warn) {
    let description = '';
    const openCard = (): CudaTrunk => {
      const driver = new CudaDriver();
      ({ description } = driver);
      return new CudaTrunk(driver);
    };
    let chosen: ChosenTrunk | undefined;
    const opened = await openWasmInNode((simd) => (chosen = new ChosenTrunk({ simd, openCard, onFault })));
    return { description: `CUDA: ${description}; ${opened.description}`, tune: (shape) => chosen!.tune(shape) };
  },
};
