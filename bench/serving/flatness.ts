import { median, quantile } from './quantile.ts';

export type Sample = { readonly atS: number; readonly value: number };

export type Flatness = {
  /** Slope by Theil and Sen, in units of the value an hour, and its interval. */
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  /** `rises`: even the low end is above the bound. `unclear`: it is not, but a rise of the size that must be found could hide in the interval. */
  readonly verdict: 'flat' | 'rises' | 'unclear';
};

export type FlatnessOptions = {
  /** Rise an hour that is let pass. */
  readonly boundPerHour: number;
  /** Rise an hour that must be found: the upper half of the interval may not be wider. */
  readonly foundPerHour: number;
  /** Share of the time at the start that does not count: caches fill, heaps find their size. Default a fifth. */
  readonly warmUpShare?: number;
};

const BLOCKS = 40;
/** Garbage that waits for its collection only ever adds. */
const FLOOR = 0.1;
/** 99 %, two-sided. */
const Z = 2.576;

/**
 * Whether a series of equally spaced samples rises. The lower decile of each of 40 spans stands for it, so that garbage before its collection, or a burst, does not count.
 * Slope and interval are those of Sen (1968): the median, and two ranks around it, of the slopes of all pairs. Neighbours that are alike make the
 * ranks lie farther apart, by the correlation of the first lag (Yue and Wang, 2004): a heap that grows and shrinks slowly is no leak.
 */
export function flatness(samples: readonly Sample[], { boundPerHour, foundPerHour, warmUpShare = 0.2 }: FlatnessOptions): Flatness {
  const blocks = blockFloors(samples.slice(Math.floor(warmUpShare * samples.length)));
  const n = blocks.length;
  if (n < 8) throw new RangeError(`flatness: ${samples.length} samples are too few`);
  const slopes: number[] = [];
  for (const [i, a] of blocks.entries()) for (const b of blocks.slice(i + 1)) slopes.push((b.value - a.value) / (b.atS - a.atS));
  slopes.sort((a, b) => a - b);
  const slope = median(slopes);
  const likeness = firstLagCorrelation(blocks.map(({ atS, value }) => value - slope * atS));
  const spread = Z * Math.sqrt(((n * (n - 1) * (2 * n + 5)) / 18) * ((1 + likeness) / (1 - likeness)));
  const rank = (at: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(at)))]!;
  const low = 3600 * rank((slopes.length - spread) / 2 - 1);
  const high = 3600 * rank((slopes.length + spread) / 2);
  const perHour = 3600 * slope;
  if (low > boundPerHour) return { perHour, low, high, verdict: 'rises' };
  return { perHour, low, high, verdict: high - perHour > foundPerHour ? 'unclear' : 'flat' };
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

/** At least 0; cut at 0.9, where the few blocks there are say no more. */
function firstLagCorrelation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [products, squares] = [0, 0];
  for (const [i, value] of values.entries()) {
    squares += (value - mean) ** 2;
    if (i > 0) products += (value - mean) * (values[i - 1]! - mean);
  }
  return squares === 0 ? 0 : Math.min(0.9, Math.max(0, products / squares));
}
