import { MS_PER_SECOND } from '../../core/units.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from './WindowMeasures.ts';
import type { Workspace } from './Workspace.ts';

export const COARSE_PATCHES = 32;
const FINE_PATCHES = SEQUENCE_STEPS - COARSE_PATCHES;
const FINE_TICKS = 192;

/** Scales of all patches of one stream. */
type StreamScale = { readonly move: number; readonly medianGapMs: number; readonly stream: 0 | 1 };

/** Columns that depend on the horizon. */
export const LOG_DURATION = 5;
export const CLOSE_TO_LAST = 8;

/**
 * Writes raw sequence rows, but for the columns that depend on the horizon: 32 patches over all n - 1 returns (boundaries
 * floor(i (n-1) / 32)), then 64 over the last min(n - 1, 192) (boundaries floor(i m / 64)). A patch runs from the tick at its start boundary
 * (its open) to the tick at its end boundary (its close), so neighbours have a tick in common and no return is lost. With fewer than 64
 * returns, a fine patch that would be empty repeats the return at its boundary, so there are always 96 rows, oldest first in each stream.
 * Requires n >= 33.
 */
export function writePatches(space: Workspace, sigma: number): void {
  const { timesMs, count, medianGapMs } = space;
  const coarse = count - 1;
  const coarseMove = sigma * Math.sqrt(-timesMs[0] / MS_PER_SECOND / COARSE_PATCHES);
  const coarseScale: StreamScale = { move: coarseMove, medianGapMs, stream: 0 };
  for (let i = 0; i < COARSE_PATCHES; i++) {
    writePatch(space, i, Math.floor((i * coarse) / COARSE_PATCHES), Math.floor(((i + 1) * coarse) / COARSE_PATCHES), coarseScale);
  }
  const fine = Math.min(coarse, FINE_TICKS);
  const start = coarse - fine;
  const fineMove = sigma * Math.sqrt(-timesMs[start] / MS_PER_SECOND / Math.min(fine, FINE_PATCHES));
  const fineScale: StreamScale = { move: fineMove, medianGapMs, stream: 1 };
  for (let i = 0; i < FINE_PATCHES; i++) {
    const close = start + Math.max(Math.floor(((i + 1) * fine) / FINE_PATCHES), 1);
    const open = Math.min(start + Math.floor((i * fine) / FINE_PATCHES), close - 1);
    writePatch(space, COARSE_PATCHES + i, open, close, fineScale);
  }
}

/** Writes the columns of the raw sequence rows that depend on the horizon. */
export function writeHorizon({ patchMs, patchCloses, sequenceRaw: out }: Workspace, sigmaHorizon: number, horizonMs: number): void {
  for (let row = 0; row < SEQUENCE_STEPS; row++) {
    const at = row * SEQUENCE_COLUMNS;
    out[at + LOG_DURATION] = Math.log(patchMs[row] / horizonMs);
    out[at + CLOSE_TO_LAST] = patchCloses[row] / sigmaHorizon;
  }
}

function writePatch(space: Workspace, row: number, open: number, close: number, scale: StreamScale): void {
  const { timesMs, logPrices, returns, sequenceRaw: out } = space;
  const opening = logPrices[open];
  let high = opening;
  let low = opening;
  let squares = 0;
  let ups = 0;
  let downs = 0;
  for (let i = open + 1; i <= close; i++) {
    const r = returns[i];
    const logPrice = logPrices[i];
    ups += Number(r > 0);
    downs += Number(r < 0);
    if (logPrice > high) high = logPrice;
    if (logPrice < low) low = logPrice;
    squares += r * r;
  }
  const steps = close - open;
  const durationMs = timesMs[close] - timesMs[open];
  const closing = logPrices[close];
  space.patchMs[row] = durationMs;
  space.patchCloses[row] = closing;
  space.patchHighs[row] = high;
  space.patchLows[row] = low;
  const at = row * SEQUENCE_COLUMNS;
  out[at] = (closing - opening) / scale.move;
  out[at + 1] = (high - opening) / scale.move;
  out[at + 2] = (low - opening) / scale.move;
  out[at + 3] = 0.5 * Math.log(squares / (scale.move * scale.move));
  out[at + 4] = Math.log(durationMs / steps / scale.medianGapMs);
  out[at + 6] = (steps - ups - downs) / steps;
  out[at + 7] = (ups - downs) / steps;
  out[at + 9] = scale.stream;
}
