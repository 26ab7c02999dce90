import { ServiceError } from '../core/ServiceError.ts';
import type { Golden } from '../model/modelFiles.ts';
import type { Network } from '../model/Network.ts';

/** Float32 networks of two backends differ in the order of their sums; a wrong kernel differs by far more. */
const TOLERANCE = 1e-4;

/** Runs a version's golden rows one by one. Throws ServiceError `model.refused` naming the first logit that is off. */
export function selfCheck(modelId: string, network: Network, golden: Golden): void {
  if (!Array.isArray(golden.rows) || golden.rows.length === 0)
    throw new ServiceError('model.refused', `Model ${modelId}: golden.json has no rows.`);
  const { steps, sequenceColumns, contextColumns, heads } = network.spec;
  for (const [index, row] of golden.rows.entries()) {
    if (row.sequence?.length !== steps * sequenceColumns || row.context?.length !== contextColumns || !(row.head >= 0 && row.head < heads))
      throw new ServiceError('model.refused', `Model ${modelId}: golden row ${index} does not fit the network.`);
    const [got] = network.run({
      size: 1,
      sequence: Float32Array.from(row.sequence),
      context: Float32Array.from(row.context),
      baseline: Float32Array.of(row.baseline),
      heads: [row.head],
    });
    for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const) {
      const difference = Math.abs((got?.[name] ?? NaN) - row[name]);
      if (!(difference <= TOLERANCE * Math.max(1, Math.abs(row[name]))))
        throw new ServiceError(
          'model.refused',
          `Model ${modelId}: golden row ${index}, ${name} is ${got?.[name]}, not ${row[name]}: weights or backend are wrong.`,
        );
    }
  }
}
