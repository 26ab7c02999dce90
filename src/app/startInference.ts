import { fileURLToPath } from 'node:url';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../core/Logger.ts';
import { spawnInference, type InferenceProcess } from '../inference/child/InferenceProcess.ts';

/** The fraction of the start timeout for the probe of one backend: if two hang, the third can still open. */
const PROBE_FRACTION = 3 / 8;

export const probeMs = (startMs: number): number => PROBE_FRACTION * startMs;

/** Starts the inference process; with `socketPath` it listens there too. */
export function startInference(
  { backend, startMs, logger }: { readonly backend: Settings['runtimeBackend']; readonly startMs: number; readonly logger: Logger },
  socketPath?: string,
): InferenceProcess {
  const program = fileURLToPath(new URL(`./inferenceProcess${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
  return spawnInference(program, [backend, String(probeMs(startMs)), ...(socketPath === undefined ? [] : [socketPath])], logger);
}
