import { seededRandom } from '../../src/core/Random.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { instrumentClusters } from '../evaluation/Scores.ts';
import { preparedAuc } from '../metrics/auc.ts';
import { clusterBootstrap, type Interval } from '../../src/engine/scoring/clusterBootstrap.ts';
import { learnMarket, type MarketHistory, readClock, readOwnClock } from './clockRows.ts';
import { fitAged, marketLogits } from './fitMarket.ts';
import type { LearnedMarket, ScoredRows } from './learnWeeks.ts';
import { marketExamples } from './marketExamples.ts';

const ROTATED_MINUTES = 420;
const HOUR = 60;
/** Step through the hours that visits each once: neighbours end up far apart. */
const HOUR_STEP = 7;
/** More AUC than this over the base is a signal that a false clock cannot have. */
const MOST_AUC_GAIN = 0.005;
const DAY_US = 86_400 * US_PER_SECOND;
const DRAWS = 200;

const FALSE_CLOCKS = [
  { name: 'Clock rotated by 7 h', move: (minute: number) => (minute + ROTATED_MINUTES) % MINUTES_PER_DAY },
  {
    name: 'Clock with permuted hours',
    move: (minute: number) => (((Math.floor(minute / HOUR) * HOUR_STEP) % 24) * HOUR + (minute % HOUR)) % MINUTES_PER_DAY,
  },
] as const;

/** The same fit with false clocks must not gain on the later weeks: mean over heads of the difference in AUC to the base, without the level. */
export function marketPlacebos(
  train: ScoredRows,
  test: ScoredRows,
  { history, heads }: LearnedMarket,
  parents: readonly HeadManifest[],
): Placebo[] {
  return FALSE_CLOCKS.map(({ name, move }) => {
    const moved: MarketHistory = { ...history, days: history.days.map((day) => ({ ...day, minute: day.minute.map(move) })) };
    const { estimate, lower90OneSided } = gainOf(train, test, moved, heads, parents);
    return {
      name,
      holds: !(lower90OneSided > MOST_AUC_GAIN),
      text: `AUC ${estimate.toFixed(4)} over the base on later weeks, lower 90 % bound ${lower90OneSided.toFixed(4)}; it must not be above ${MOST_AUC_GAIN}.`,
    };
  });
}

function gainOf(
  train: ScoredRows,
  test: ScoredRows,
  moved: MarketHistory,
  heads: LearnedMarket['heads'],
  parents: readonly HeadManifest[],
): Pick<Interval, 'estimate' | 'lower90OneSided'> {
  const learned = learnMarket(moved);
  if (learned === null) return { estimate: 0, lower90OneSided: 0 };
  const own = readOwnClock(train.rows, train.predicted.index, moved);
  const later = readClock(test.rows, test.predicted.index, learned, moved.moves);
  let size = 0;
  const parts = parents.flatMap((parent, at) => {
    const tested = marketExamples(test.rows, test.predicted, later, parent, at, null);
    const positives = tested.label.reduce((sum, label) => sum + label, 0);
    if (heads[at] === null || positives === 0 || positives === tested.count) return [];
    const weights = fitAged(marketExamples(train.rows, train.predicted, own, parent, at, null));
    const from = size;
    size += tested.count;
    const [model, base] = [preparedAuc(marketLogits(tested, weights), tested.label), preparedAuc(tested.base, tested.label)];
    return [{ row: tested.at.map((i) => test.predicted.index[i] as number), from, to: size, model, base }];
  });
  if (parts.length === 0) return { estimate: 0, lower90OneSided: 0 };
  const days = instrumentClusters(
    test.rows,
    parts.flatMap(({ row }) => [...row]),
    DAY_US,
  );
  const gain = (weights: Float64Array): number => {
    const gains = parts
      .map(({ from, to, model, base }) => model(weights.subarray(from, to)) - base(weights.subarray(from, to)))
      .filter(Number.isFinite);
    return gains.reduce((sum, of) => sum + of, 0) / gains.length;
  };
  return clusterBootstrap(days, gain, { random: seededRandom(1), draws: DRAWS });
}
