import { writeFileSync } from 'node:fs';
import type { ReplayedWindow } from '../../engine/forecast/replayTicks.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';

const HEADER = 'timestamp,price,trend_identified,probability,baseline_probability,min_move_bps,move_bps,outcome,reasons';

/** Writes one line per window; unknown values are empty. Throws ServiceError `file.unwritable`. */
export function writeWindows(file: string, windows: readonly ReplayedWindow[]): void {
  const lines = windows.map(({ timeUs, price, mark, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons }) =>
    [formatTimestamp(timeUs, 6), price, mark, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons.join(' ')]
      .map((value) => value ?? '')
      .join(','),
  );
  try {
    writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`);
  } catch (cause) {
    throw new ServiceError('file.unwritable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}
