import type { Logger } from '../../core/Logger.ts';
import type { openForecaster as Opener, OpenForecaster } from './openForecaster.ts';
import { hasInferenceProcess, readHostResources } from './topology.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

/** Opens backend, rules and versions, and logs how they run. `socketPath`: of a shared inference process. */
export async function openModels(
  { settings, clock, logger, metrics, tracer, opened }: ServiceBasics,
  openForecaster: typeof Opener,
  socketPath: string | undefined,
): Promise<OpenForecaster> {
  const open = await openForecaster(settings, {
    onCardFault: ({ message, isTriedAgain }) => {
      metrics?.count('tickmark_card_faults_total');
      logger.warn('the NVIDIA card failed; its batches are computed by WebAssembly', { reason: message, triedAgain: isTriedAgain });
    },
    onBatch: ({ size, ms }) => {
      metrics?.observe('tickmark_batch_size', size);
      metrics?.observe('tickmark_batch_duration_seconds', ms / 1000);
    },
    clock,
    tracer,
    ownProcess: hasInferenceProcess(settings, readHostResources()) ? { logger, socketPath } : undefined,
  });
  opened.add(open);
  for (const { folder, error } of open.refusedModels) logger.warn('model version skipped', { folder, reason: error.message });
  logRuntime(open, logger);
  return open;
}

/** Which backend serves, why each better one does not, and how each batch size is run. */
function logRuntime({ runtime, warmed }: OpenForecaster, logger: Logger): void {
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
