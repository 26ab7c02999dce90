import { CUTS as ALLOWED } from '../../contract/forecastOptions.ts';
import { seededRandom } from '../../core/Random.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import { clusterBootstrap, MIN_CLUSTERS } from './clusterBootstrap.ts';
import { wilsonInterval } from './wilsonInterval.ts';

/** Windows of one hour depend on each other. */
const CLUSTER_US = 3600 * US_PER_SECOND;
const SEED = 1;
/** Smallest marked probabilities of the table. */
const CUTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
/** Fewest windows for which a cut is proposed. */
const MIN_WINDOWS = 20;
/** Steps of a proposed cut from 0 to 1. */
const CUT_STEPS = 1000;

/** A window with a probability and a known move. */
export type PaidWindow = {
  /** Time of its last tick. */
  readonly timeUs: number;
  readonly probability: number;
  readonly baselineProbability: number;
  readonly isMarked: boolean;
  /** Log return from entry to exit, basis points. */
  readonly moveBps: number;
  /** What a trade costs, entry and exit together: the threshold of the window. */
  readonly costBps: number;
};

/** What trades on some of the windows would have made. */
export type Payoff = {
  readonly count: number;
  /** Of all windows. */
  readonly share: number;
  /** Windows that moved by more than the cost, and the fraction with its 90 % interval. */
  readonly hits: number;
  readonly hitRate: number;
  readonly hitInterval90: readonly [number, number];
  /** Mean of |move| less cost, basis points: the direction is always right. NaN without windows. */
  readonly perfectBps: number;
  /** 95 % interval over hours; null for fewer than 30 hours. */
  readonly perfectInterval95: readonly [number, number] | null;
};

/** What a selection by the model and one of as many windows by the volatility baseline would have made. */
export type CutLine = { readonly cut: number; readonly model: Payoff; readonly baseline: Payoff };

export type PayoffTable = {
  readonly marks: Payoff;
  /** As many windows as marks, with the highest baseline probability. */
  readonly baseline: Payoff;
  readonly all: Payoff;
  /** By smallest marked probability; without lines for no window. */
  readonly cuts: readonly CutLine[];
};

/** What a caller wants of marks: the fraction of windows that is marked, or the fraction of marks that come true. */
export type Wish = { readonly share: number } | { readonly hitRate: number };

export function payoffTable(windows: readonly PaidWindow[]): PayoffTable {
  const marked = windows.filter(({ isMarked }) => isMarked);
  return {
    marks: payoffOf(marked, windows.length),
    baseline: payoffOf(likeliestByBaseline(windows, marked.length), windows.length),
    all: payoffOf(windows, windows.length),
    cuts: CUTS.map((cut) => cutLine(windows, cut)).filter(({ model }) => model.count > 0),
  };
}

/**
 * The cut that fulfils a wish on the earlier half of the windows, and what it would have made on the later half; null if the earlier half has
 * no such cut.
 */
export function proposeCut(windows: readonly PaidWindow[], wish: Wish): CutLine | null {
  const ordered = windows.toSorted((a, b) => a.timeUs - b.timeUs);
  const earlier = ordered.slice(0, ordered.length >> 1).sort((a, b) => b.probability - a.probability);
  const cut =
    'share' in wish ? earlier[Math.max(0, Math.round(wish.share * earlier.length) - 1)]?.probability : cutOfHits(earlier, wish.hitRate);
  return cut === undefined ? null : cutLine(ordered.slice(ordered.length >> 1), asked(cut));
}

/** What a caller can ask for, with three decimals: the answers are those of the line. */
function asked(cut: number): number {
  return Math.min(ALLOWED.maximum, Math.max(ALLOWED.minimum, Math.floor(cut * CUT_STEPS) / CUT_STEPS));
}

/** `ordered` by falling probability: the smallest one from which so many came true. */
function cutOfHits(ordered: readonly PaidWindow[], hitRate: number): number | undefined {
  let hits = 0;
  let cut: number | undefined;
  ordered.forEach((window, at) => {
    if (isHit(window)) hits++;
    const isLastOfTie = ordered[at + 1]?.probability !== window.probability;
    if (at + 1 >= MIN_WINDOWS && isLastOfTie && hits / (at + 1) >= hitRate) cut = window.probability;
  });
  return cut;
}

function cutLine(windows: readonly PaidWindow[], cut: number): CutLine {
  const chosen = windows.filter(({ probability }) => probability >= cut);
  const baseline = likeliestByBaseline(windows, chosen.length);
  return { cut, model: payoffOf(chosen, windows.length), baseline: payoffOf(baseline, windows.length) };
}

const isHit = ({ moveBps, costBps }: PaidWindow): boolean => Math.abs(moveBps) > costBps;

function likeliestByBaseline(windows: readonly PaidWindow[], count: number): PaidWindow[] {
  return windows.toSorted((a, b) => b.baselineProbability - a.baselineProbability).slice(0, count);
}

function payoffOf(chosen: readonly PaidWindow[], of: number): Payoff {
  const count = chosen.length;
  const hits = chosen.filter(isHit).length;
  const gains = Float64Array.from(chosen, ({ moveBps, costBps }) => Math.abs(moveBps) - costBps);
  const hours = Int32Array.from(chosen, ({ timeUs }) => Math.floor(timeUs / CLUSTER_US));
  const mean = (weights: Float64Array): number => {
    let [sum, weight] = [0, 0];
    for (let i = 0; i < count; i++) {
      sum += weights[i] * gains[i];
      weight += weights[i];
    }
    return sum / weight;
  };
  const { estimate, lower95, upper95, clusters } = clusterBootstrap(hours, mean, { random: seededRandom(SEED) });
  return {
    count,
    share: count / of,
    hits,
    hitRate: hits / count,
    hitInterval90: wilsonInterval(hits, count),
    perfectBps: estimate,
    perfectInterval95: clusters < MIN_CLUSTERS ? null : [lower95, upper95],
  };
}
