import type { Logger } from '../../../core/Logger.ts';
import type { OpenForecaster } from '../openForecaster.ts';

/** Which backend serves, why each better one does not, and how each batch size is run. */
export function logRuntime({ runtime, warmed }: OpenForecaster, logger: Logger): void {
  for (const { candidate, reason } of runtime.refused)
    logger.info('a faster backend is not available; trying the next one', { backend: candidate, reason });
  logger.info('backend opened', { backend: runtime.backend, device: runtime.description });
  for (const { batch, lstm, readout } of warmed)
    logger.info('batch size measured', {
      batch,
      ...(lstm === undefined
        ? {}
        : { lstm: lstm.chosen, lstmMs: rounded(lstm.timesMs), ...(hasAny(lstm.refused) && { lstmRefused: lstm.refused }) }),
      readout: readout.chosen,
      networkMs: rounded(readout.timesMs),
    });
}

const hasAny = (record: object): boolean => Object.keys(record).length > 0;

/** Milliseconds to microseconds' precision. */
function rounded(timesMs: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(timesMs).map(([name, ms]) => [name, Math.round(ms * 1000) / 1000]));
}
