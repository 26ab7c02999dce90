import { seededRandom } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';
import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { Candidate } from '../Candidate.ts';
import type { MadeRows } from '../data/buildRows.ts';
import type { RowSet } from '../data/RowSet.ts';
import { decideGate } from '../evaluation/gate.ts';
import { leakTest } from '../evaluation/leakTest.ts';
import { calibratedProbabilities } from '../evaluation/scoresOutOfFold.ts';
import { compareScores, entriesOf, type Scores, selectScores } from '../evaluation/Scores.ts';
import { markRows } from '../evaluation/scoreTables.ts';
import { seenRows } from '../evaluation/seenRows.ts';
import { versionProbabilities } from '../evaluation/versionProbabilities.ts';
import { baselineProbabilities, fitBaselines, predictRows } from '../loop/predictRows.ts';
import { sigmoid } from '../metrics/logistic.ts';
import type { RunPlan } from '../planRun.ts';
import { allRows } from '../splits/planFolds.ts';
import type { TrainOptions } from '../TrainOptions.ts';
import { readClock } from './clockRows.ts';
import { gainTables } from './gainTables.ts';
import { type LearnedMarket, learnWeeks, movesOf, type ScoredRows } from './learnWeeks.ts';
import { marketAge } from './marketAge.ts';
import { marketExamples } from './marketExamples.ts';
import { marketPlacebos } from './marketPlacebos.ts';
import { spanOf } from './oneMarket.ts';
import { driftNote, profileDrift } from './profileDrift.ts';
import { profileTimes } from './profileTimes.ts';

/**
 * A version that knows its market: profile, level and a ridge logistic on the base. A fit on the earlier weeks is evaluated on the later
 * ones; the version itself is fitted on all weeks. The network is that of the parent. Throws ServiceError `training.too_little_data`.
 */
export function trainMarket(options: TrainOptions & { readonly parent: ModelFolder }, plan: RunPlan, made: MadeRows): Candidate {
  const { parent, seed } = options;
  const { manifest, weights } = parent;
  const { heads: parents } = manifest;
  const [fromUs, toUs] = spanOf(plan.sources, options.fromUs, options.untilUs);
  const cutUs = Math.max(...(plan.cutsUs ?? [toUs]));
  const moves = movesOf(plan.sources, fromUs, toUs);
  const scored = (rows: RowSet): ScoredRows => ({ rows, predicted: predictRows(manifest.network, weights, rows, allRows(rows)) });
  const [train, test] = [scored(made.train.rows), scored(made.test.rows)];
  const earlier = learnWeeks({ moves: movesOf(plan.sources, fromUs, cutUs), parts: [train] }, parents);
  const all = scoresOf(train, test, earlier, parent);
  const seen = seenRows(test.rows, plan.sources, manifest.lineage.data);
  const counted = entriesOf(all, (row) => seen[row] === 0);
  const scores = selectScores(all, counted);
  const random = seededRandom(seed);
  // The files of a market are parts of one series: their rows are of one instrument.
  const rows = { ...test.rows, instrument: new Uint16Array(test.rows.count) };
  const ewma = compareScores(rows, scores, 'ewma', entriesOf(scores), random);
  const served = compareScores(rows, scores, 'served', entriesOf(scores), random);
  const base = calibratedProbabilities(parents, test.rows, test.predicted);
  const ofBase = { ...scores, served: Float64Array.from(counted, (at) => base[at] as number) };
  const verdict = decideGate({
    id: options.id,
    against: manifest.id,
    ewma,
    served,
    ...(parent.market === undefined ? {} : { withoutMarket: compareScores(rows, ofBase, 'served', entriesOf(scores), random) }),
    leak: leakTest(plan.sources, plan.test, test.rows),
    placebos: marketPlacebos(train, test, earlier, parents),
    origins: all.row.length,
    seen: all.row.length - scores.row.length,
    what: 'the clock of one market',
  });
  const whole = learnWeeks({ moves, parts: [train, test] }, parents);
  const file = marketFile(whole, fromUs, toUs);
  const drift = parent.market === undefined ? [] : [driftNote(manifest.id, profileDrift(parent.market.file, file))];
  return {
    weights,
    heads: parents,
    trained: manifest.trained,
    ...made,
    scores,
    seen: all.row.length - scores.row.length,
    closes: null,
    ewma,
    served,
    seenToo: null,
    against: manifest.id,
    directions: [],
    verdict,
    folds: ['later weeks'],
    results: [],
    market: {
      file,
      times: profileTimes(whole),
      gains: gainTables({ train, test, learned: earlier, parents, seen, moves }),
    },
    notes: [...whole.notes, ...drift],
  };
}

/** Probabilities at theta* of the later rows, by the fit on the earlier ones. */
function scoresOf(train: ScoredRows, test: ScoredRows, learned: LearnedMarket, parent: ModelFolder): Scores {
  const { rows, predicted } = test;
  const { index, draws } = predicted;
  const parents = parent.manifest.heads;
  const candidate = marketProbabilities(test, learned, parents);
  const marking = parents.map((parent, at) => ({ ...parent, cut: (learned.heads[at] ?? parent).cut }));
  return {
    row: index,
    candidate,
    ewma: baselineProbabilities(rows, index, fitBaselines(train.rows, allRows(train.rows), BUCKET_NAMES.length)),
    served: versionProbabilities(parent, rows, predicted).p,
    directionLogit: Float64Array.from(index, (_, i) => predicted.direction[i * draws] as number),
    marked: markRows(marking, rows, index, candidate),
  };
}

function marketProbabilities(test: ScoredRows, { profile, heads, history }: LearnedMarket, parents: readonly HeadManifest[]): Float64Array {
  const { rows, predicted } = test;
  const p = calibratedProbabilities(parents, rows, predicted);
  const clock = readClock(rows, predicted.index, profile, history.moves);
  heads.forEach((head, at) => {
    if (head === null) return;
    const { fresh } = head;
    const examples = marketExamples(rows, predicted, clock, parents[at] as HeadManifest, at, null);
    for (let i = 0; i < examples.count; i++)
      p[examples.at[i]!] = sigmoid(
        fresh.intercept + fresh.base * examples.base[i]! + fresh.clock * examples.clock[i]! + fresh.level * examples.level[i]!,
      );
  });
  return p;
}

const SHAPE_DIGITS = 6;

function marketFile({ profile, shownDaylight, heads, windowRatio }: LearnedMarket, fromUs: number, toUs: number): MarketFile {
  const { daylight, shape, openHours, level } = profile;
  return {
    format: 'tickmark-market/2',
    fromUs,
    toUs,
    daylight,
    shape: Array.from(shape, (value) => Number(value.toPrecision(SHAPE_DIGITS))),
    openHours: [...openHours],
    level,
    windowRatio,
    ...marketAge(toUs, shownDaylight),
    heads,
  };
}
