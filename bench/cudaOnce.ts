import { CudaDriver } from '../src/engine/runtime/cuda/CudaDriver.ts';
import { CudaSummary, fitsCudaTraining } from '../src/engine/runtime/cuda/CudaSummary.ts';
import { CudaTrunk } from '../src/engine/runtime/cuda/CudaTrunk.ts';
import { randomRows } from './cudaRows.ts';

/** Launches each kernel a few times and compares nothing: for compute-sanitizer, which slows a card down a hundredfold. */
const driver = new CudaDriver();
const [trunkOnCard, summaryOnCard] = [new CudaTrunk(driver), new CudaSummary(driver)];
let numbers = 0;
for (const [units, columns, steps, batch] of [
  [16, 10, 96, 3],
  [16, 32, 7, 2],
  [32, 12, 1, 1],
  [64, 10, 130, 2],
  [128, 32, 9, 2],
  [48, 13, 5, 5],
  [16, 10, 1300, 1],
] as const) {
  const { call, trunk } = randomRows({ units, columns, steps, batch, context: 71, outputs: 80 }, 1);
  numbers += trunkOnCard.forwardTrunk(call, trunk).length;
  if (!fitsCudaTraining(call)) continue;
  const taped = { ...call, attention: trunk.attention, tapeId: numbers };
  numbers += summaryOnCard.forwardSummary(taped).length;
  numbers += summaryOnCard.backwardSummary(taped, new Float32Array(batch * 2 * units).fill(0.1)).kernel.length;
}
process.stdout.write(`${driver.description}: ${numbers} numbers\n`);
