import { CudaDriver } from '../src/engine/runtime/cuda/CudaDriver.ts';
import { CudaSummary } from '../src/engine/runtime/cuda/CudaSummary.ts';
import { CudaTrunk } from '../src/engine/runtime/cuda/CudaTrunk.ts';
import { KERNEL } from '../src/engine/runtime/cuda/packLstm.ts';
import { randomRows } from './cudaRows.ts';

/** Launches each kernel a few times and compares nothing: for compute-sanitizer, which slows a card down a hundredfold. */
const driver = new CudaDriver();
const [trunkOnCard, summaryOnCard] = [new CudaTrunk(driver), new CudaSummary(driver)];
let numbers = 0;
for (const [columns, steps, batch] of [
  [10, 96, 3],
  [12, 7, 2],
  [1, 1, 1],
  [10, 1300, 1],
] as const) {
  const { call, trunk } = randomRows({ ...KERNEL, columns, steps, batch, context: 71, outputs: 80 }, 1);
  numbers += trunkOnCard.forwardTrunk(call, trunk).length;
  const taped = { ...call, attention: trunk.attention, tapeId: numbers };
  numbers += summaryOnCard.forwardSummary(taped).length;
  numbers += summaryOnCard.backwardSummary(taped, new Float32Array(batch * 2 * KERNEL.units).fill(0.1)).kernel.length;
}
process.stdout.write(`${driver.description}: ${numbers} numbers\n`);
