import { ServiceError } from '../../core/ServiceError.ts';
import type { Golden } from '../model/modelFiles.ts';
import type { Network } from '../model/Network.ts';

/** Float32 networks of two backends differ in the order of their sums; a wrong kernel differs by far more. */
const TOLERANCE = 1e-4;

/** A version has one row for each head; a file of thousands would block the service. */
const MAX_ROWS = 256;

/**
 * Runs a version's golden rows one by one; their content is not trusted. Throws ServiceError `model.refused` naming the first row that does not
 * fit or logit that is off.
 */
export function selfCheck(modelId: string, network: Pick<Network, 'spec' | 'run'>, golden: Golden): void {
  const rows = (golden as Partial<Golden> | null)?.rows;
  if (!Array.isArray(rows) || rows.length === 0) throw new ServiceError('model.refused', `Model ${modelId}: golden.json has no rows.`);
  if (rows.length > MAX_ROWS)
    throw new ServiceError('model.refused', `Model ${modelId}: golden.json has ${rows.length} rows, more than ${MAX_ROWS}.`);
  const { steps, sequenceColumns, contextColumns, heads } = network.spec;
  for (const [index, row] of (rows as (Golden['rows'][number] | null)[]).entries()) {
    if (row?.sequence?.length !== steps * sequenceColumns || row.context?.length !== contextColumns || !isHead(row.head, heads))
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

const isHead = (head: number, heads: number): boolean => Number.isInteger(head) && head >= 0 && head < heads;
