import { median, quantile } from './summarize.ts';

export type Sample = { readonly atS: number; readonly value: number };

export type Flatness = {
  /** Theil–Sen slope in units per hour, and its interval. */
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  /** `rises`: the low end of the interval is above the bound. `unclear`: it is not, but the interval could contain a rise that must be found. */
  readonly result: 'flat' | 'rises' | 'unclear';
};

export type FlatnessOptions = {
  /** Allowed rise per hour. */
  readonly boundPerHour: number;
  /** Rise per hour that must be found: the upper half of the interval must not be wider. */
  readonly foundPerHour: number;
  /** Uncounted fraction of the time at the start, in which caches and heaps grow. Default a fifth. */
  readonly warmUpFraction?: number;
};

const BLOCKS = 40;
/** Uncollected garbage only adds to a value. */
const FLOOR = 0.1;
/** 99 %, two-sided. */
const Z = 2.576;

/**
 * Tests whether a series of equally spaced samples rises. Each of 40 spans is represented by its lower decile, so that uncollected garbage
 * and bursts do not count. Slope and interval are those of Sen (1968): the median of the slopes of all pairs, and two ranks around it. The
 * ranks are corrected for the autocorrelation at lag 1 (Yue and Wang, 2004): a heap that grows and shrinks slowly is not a leak.
 */
export function flatness(samples: readonly Sample[], { boundPerHour, foundPerHour, warmUpFraction = 0.2 }: FlatnessOptions): Flatness {
  const blocks = blockFloors(samples.slice(Math.floor(warmUpFraction * samples.length)));
  const n = blocks.length;
  if (n < 8) throw new RangeError(`flatness: ${samples.length} samples are too few`);
  const slopes: number[] = [];
  for (const [i, a] of blocks.entries()) for (const b of blocks.slice(i + 1)) slopes.push((b.value - a.value) / (b.atS - a.atS));
  slopes.sort((a, b) => a - b);
  const slope = median(slopes);
  const likeness = firstLagCorrelation(blocks.map(({ atS, value }) => value - slope * atS));
  const spread = Z * Math.sqrt(((n * (n - 1) * (2 * n + 5)) / 18) * ((1 + likeness) / (1 - likeness)));
  const rank = (at: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(at)))];
  const low = 3600 * rank((slopes.length - spread) / 2 - 1);
  const high = 3600 * rank((slopes.length + spread) / 2);
  const perHour = 3600 * slope;
  if (low > boundPerHour) return { perHour, low, high, result: 'rises' };
  return { perHour, low, high, result: high - perHour > foundPerHour ? 'unclear' : 'flat' };
}

function blockFloors(samples: readonly Sample[]): Sample[] {
  const size = Math.max(1, Math.floor(samples.length / BLOCKS));
  return Array.from({ length: Math.floor(samples.length / size) }, (_, block) => {
    const part = samples.slice(block * size, (block + 1) * size);
    return {
      atS: median(part.map(({ atS }) => atS)),
      value: quantile(
        part.map(({ value }) => value),
        FLOOR,
      ),
    };
  });
}

/** Between 0 and 0.9; the few blocks do not allow an estimate above 0.9. */
function firstLagCorrelation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [products, squares] = [0, 0];
  for (const [i, value] of values.entries()) {
    squares += (value - mean) ** 2;
    if (i > 0) products += (value - mean) * (values[i - 1] - mean);
  }
  return squares === 0 ? 0 : Math.min(0.9, Math.max(0, products / squares));
}
