import { US_PER_SECOND } from '../../src/core/units.ts';
import { daylightMinutes } from '../../src/engine/features/daylightMinutes.ts';
import { MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';

export type ProfileDrift = {
  /** Correlation of ln shape over the minutes of a UTC day. */
  readonly correlation: number;
  /** New level over old level. */
  readonly levelRatio: number;
};

/** How far a market has moved since an older version. */
export function profileDrift(old: MarketFile, now: MarketFile): ProfileDrift {
  const [a, b] = [old, now].map(({ shape, daylight }) => {
    const offset = daylightMinutes(daylight, now.toUs / US_PER_SECOND);
    return shape.map((_, minute) => Math.log(shape[(minute + offset) % MINUTES_PER_DAY]!));
  }) as [number[], number[]];
  return { correlation: correlationOf(a, b), levelRatio: now.level / old.level };
}

export function correlationOf(a: readonly number[], b: readonly number[]): number {
  const mean = (of: readonly number[]): number => of.reduce((sum, value) => sum + value, 0) / of.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((value, i) => {
    ab += (value - meanA) * (b[i]! - meanB);
    aa += (value - meanA) ** 2;
    bb += (b[i]! - meanB) ** 2;
  });
  return ab / Math.sqrt(aa * bb);
}

export function driftNote(parent: string, { correlation, levelRatio }: ProfileDrift): string {
  return `Since ${parent}: correlation of the profiles ${correlation.toFixed(3)}, level ${levelRatio.toFixed(2)} times as high.`;
}
