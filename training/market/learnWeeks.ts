import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_MINUTE } from '../../src/core/units.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { minuteMoves, type MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import type { DaylightRule } from '../../src/engine/features/daylightMinutes.ts';
import type { MarketProfile } from '../../src/engine/features/MarketClock.ts';
import type { MarketHead, MarketWeights, RecentWeights } from '../../src/engine/model/MarketModel.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import { coarserBars } from '../data/BarCloses.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { fitHeads } from '../evaluation/fitHeads.ts';
import { gatherOutOfFold } from '../evaluation/outOfFold.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { type ClockRows, historyOf, learnMarket, type MarketHistory, readOwnClock, withRecent } from './clockRows.ts';
import { fitAged, fitMarket, fitRecent, skillByWeeks } from './fitMarket.ts';
import { type MarketDaylight, marketDaylight } from './marketDaylight.ts';
import { baseLogit, joinExamples, type MarketExamples, marketExamples, usualThetas } from './marketExamples.ts';

/** A head needs this many examples and this Brier skill on left-out weeks, or the base answers for it. */
const LEAST_EXAMPLES = 500;
const LEAST_SKILL = 0.001;

/** Rows with the outputs of the parent. */
export type ScoredRows = { readonly rows: RowSet; readonly predicted: PredictedRows };

/** Everything that a market learns from: minute moves and rows of the same weeks. */
type MarketWeeks = { readonly moves: MinuteMoves; readonly parts: readonly [ScoredRows, ...ScoredRows[]] };

export type LearnedMarket = {
  readonly history: MarketHistory;
  readonly profile: MarketProfile;
  /** The daylight-saving rule that the volatility shows: the clock ends at the next clock change without one. */
  readonly shownDaylight: DaylightRule;
  /** One for each horizon bucket; null: the base answers. */
  readonly heads: readonly (MarketHead | null)[];
  /** As in MarketFile. */
  readonly windowRatio: number;
  /** Fixed threshold of each bucket / sqrt(H), log price. */
  readonly usual: readonly number[];
  readonly notes: readonly string[];
};

/** Minute moves of the files of one market, in time order, in [fromUs, untilUs). */
export function movesOf(sources: readonly TickSource[], fromUs: number, untilUs: number): MinuteMoves {
  const ordered = [...sources].sort((a, b) => a.firstUs - b.firstUs).map(({ bars }) => coarserBars(bars, 60));
  const minute = ordered.flatMap(({ index }) => [...index]);
  const close = ordered.flatMap((bars) => [...bars.close]);
  const used = [...minute.keys()].filter((at) => minute[at]! * US_PER_MINUTE >= fromUs && minute[at]! * US_PER_MINUTE < untilUs);
  return minuteMoves(
    used.map((at) => minute[at]!),
    used.map((at) => close[at]!),
  );
}

/**
 * Profile, level and weights of every head from the rows of the same weeks; decision thresholds from the first part. Throws ServiceError
 * `training.too_little_data`.
 */
export function learnWeeks({ moves, parts }: MarketWeeks, parents: readonly HeadManifest[]): LearnedMarket {
  const evidence = marketDaylight(moves);
  const history = historyOf(moves, evidence.rule);
  const profile = learnMarket(history);
  if (profile === null) throw new ServiceError('training.too_little_data', 'No day of the ticks has an hour with prices that move.');
  const usual = usualThetas(parts[0].rows, parents.length);
  const read = parts.map((part) => ({ ...part, clock: readOwnClock(part.rows, part.predicted.index, history) }));
  const recent = read.map((part) => ({ ...part, clock: withRecent(part.clock) }));
  const notes: string[] = [];
  const fits = parents.map((parent, at) => {
    const name = BUCKET_NAMES[at] ?? String(at);
    const [examples, closes] = [read, recent].map((from) => examplesOf(from, parent, at, usual[at] as number)) as [
      MarketExamples,
      MarketExamples,
    ];
    const skill = skillOf(examples);
    if (skill < LEAST_SKILL) {
      const why = examples.count < LEAST_EXAMPLES ? `${examples.count} examples are too few` : 'no gain on left-out weeks';
      notes.push(`${name}: ${why}; the base answers.`);
      return null;
    }
    const ofCloses = skillOf(closes, fitRecent);
    const withCloses = ofCloses < LEAST_SKILL ? 'closes gain nothing' : `${ofCloses.toFixed(4)} with closes`;
    notes.push(`${name}: Brier skill of base, clock and level on left-out weeks, against the base: ${skill.toFixed(4)}, ${withCloses}.`);
    return { fresh: fitMarket(examples), aged: fitAged(examples), recent: ofCloses < LEAST_SKILL ? null : fitRecent(closes) };
  });
  const cuts = cutsOf(
    read[0] as ReadRows,
    parents,
    fits.map((fit) => fit?.fresh ?? null),
  );
  const recentCuts = cutsOf(
    recent[0] as ReadRows,
    parents,
    fits.map((fit) => fit?.recent ?? null),
  );
  const heads = fits.map((fit, at): MarketHead | null =>
    fit === null
      ? null
      : {
          fresh: fit.fresh,
          aged: fit.aged,
          cut: cuts[at] ?? null,
          recent: fit.recent === null ? null : { weights: fit.recent, cut: recentCuts[at] ?? null },
        },
  );
  return {
    ...{ history, profile, heads, usual },
    shownDaylight: evidence.byClose ? 'none' : evidence.rule,
    windowRatio: windowRatioOf(read),
    notes: [daylightNote(evidence), ...notes],
  };
}

/** `usualMove - clock` is ln(level * shape of the window * sqrt(H)), and the baseline is ln(sigma * sqrt(H) / theta). */
function windowRatioOf(read: readonly ReadRows[]): number {
  let sum = 0;
  let count = 0;
  for (const { rows, predicted, clock } of read)
    predicted.index.forEach((row, i) => {
      const ratio = rows.baseline[row * rows.draws]! + Math.log(rows.theta[row * rows.draws]!) - (clock.usualMove[i]! - clock.clock[i]!);
      if (!Number.isFinite(ratio)) return;
      sum += ratio;
      count++;
    });
  return count === 0 ? 0 : sum / count;
}

type ReadRows = ScoredRows & { readonly clock: ClockRows };

/** Examples of a head at theta* and at the fixed threshold. */
const examplesOf = (from: readonly ReadRows[], parent: HeadManifest, at: number, usual: number): MarketExamples =>
  joinExamples(
    from.flatMap(({ rows, predicted, clock }) => [null, usual].map((theta) => marketExamples(rows, predicted, clock, parent, at, theta))),
  );

const skillOf = (examples: MarketExamples, fit?: (examples: MarketExamples) => MarketWeights): number =>
  examples.count < LEAST_EXAMPLES ? -Infinity : skillByWeeks(examples, fit);

/** Smallest marked probability of each head, with the log-odds of the market. */
function cutsOf(
  { rows, predicted, clock }: ReadRows,
  parents: readonly HeadManifest[],
  fits: readonly ((MarketWeights & Partial<RecentWeights>) | null)[],
): (number | null)[] {
  const out = gatherOutOfFold(rows, [predicted]);
  const logit = out.logit.map((_, at) => {
    const i = Math.floor(at / predicted.draws);
    const row = predicted.index[i] as number;
    const head = rows.head[row] as number;
    const fit = fits[head];
    if (fit === null || fit === undefined) return NaN;
    const theta = rows.theta[row * rows.draws + (at % predicted.draws)] as number;
    const base = baseLogit(rows, predicted, i, parents[head] as HeadManifest, theta);
    const { intercept, base: slope, clock: ofClock, level, recent } = fit;
    const logTheta = Math.log(theta);
    const stored = intercept + slope * base + ofClock * clock.clock[i]! + level * (clock.usualMove[i]! - logTheta);
    return recent === undefined ? stored : stored + recent * (clock.recentMove[i]! - logTheta);
  });
  return fitHeads(rows, { ...out, logit }, { use: (at) => Number.isFinite(logit[at]) }).map(({ cut }) => cut);
}

function daylightNote({ rule, scores, byClose }: MarketDaylight): string {
  const found = Object.entries(scores).map(
    ([name, score]) => `${name} ${score === null ? 'has no change in the weeks' : `${score.toFixed(1)} standard errors`}`,
  );
  const close = byClose ? ', because the weeks end on Friday at 17:00 New York time' : '';
  const warning = rule === 'none' || byClose ? ' The clock ends at the next clock change, at the earliest eight weeks after training.' : '';
  return `Daylight-saving rule: ${rule}${close} (volatility better than in UTC by: ${found.join(', ')}).${warning}`;
}
