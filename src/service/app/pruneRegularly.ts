import type { Clock } from '../../core/Clock.ts';
import { every } from '../../core/every.ts';
import type { Logger } from '../../core/Logger.ts';

const PRUNE_MS = 6 * 3_600_000;

/** Deletes what has expired, now and every six hours; returns a function that stops it. `prune` resolves to the number of deleted rows. */
export function pruneRegularly(
  what: string,
  prune: () => Promise<number>,
  { clock, logger }: { clock: Clock; logger: Logger },
): () => void {
  const run = (): void =>
    void prune().then(
      (count) => {
        if (count > 0) logger.info(`${what} pruned`, { count });
      },
      (error: unknown) => logger.warn(`${what} not pruned`, { error }),
    );
  run();
  return every(clock, PRUNE_MS, run);
}
