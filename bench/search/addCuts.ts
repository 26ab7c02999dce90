import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings, tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import { BUCKET_NAMES, bucketOf } from '../../src/engine/features/horizonBuckets.ts';
import type { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import { type ReplayedWindow, replayTicks } from '../../src/engine/forecast/replayTicks.ts';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../../src/engine/model/modelFiles.ts';
import { USUAL_TICKS } from '../../src/engine/model/suitableTicks.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { openLocalForecaster } from '../../src/service/app/openLocalForecaster.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { addSection } from '../../training/addSection.ts';
import { type BarSeries, readBarPlan, readSeries } from '../../training/bars/barPlan.ts';
import type { BarAnswer } from '../../training/bars/evaluateBars.ts';
import { type MarkCell, marksTable, mostMarkedTable, ratedRows, type SeriesAnswers } from '../../training/bars/markTables.ts';
import { leftOutMemory } from '../../training/evaluation/leftOutMemory.ts';
import { cellsOutOfFold } from '../../training/evaluation/outOfFold.ts';
import { cutOfShare } from '../../training/metrics/decision.ts';
import { markdownTable } from '../../training/metrics/formatComparison.ts';

const SECTION = '## Marks of a series';
const HORIZONS_S = [10, 60, 300, 1800];
/** Of a window with the memory of its series. */
const TICKS = USUAL_TICKS;
/** Windows of a series with more ticks are at least half an hour apart. */
const MANY_TICKS = 200_000;
const MANY_EVERY_S = 1800;
const DAY_US = 86_400 * US_PER_SECOND;

/**
 * Raises the cut of each head of a base until it marks at most a fifth of the windows of each series, alone and with its memory, and writes in the
 * card what the cuts mark. `plan`: training files, of which the left-out predictions count, and series with `trains` false, which the version
 * answers as served. Throws ServiceError `model.refused` and `file.*`.
 */
export async function addCuts(folder: string, plan: readonly BarSeries[], log: (line: string) => void): Promise<void> {
  const { manifest, memory } = loadModelFolder(folder);
  const knows = plan.some(({ trains = true }) => trains);
  const leftOut = knows ? cellsOutOfFold(readFileSync(path.join(folder, MODEL_FILES.outOfFold), 'utf8')) : [];
  const settings = { ...readSettings(), modelsDir: path.dirname(folder), model: manifest.id };
  const { forecaster, close } = await openLocalForecaster(settings);
  const series: SeriesAnswers[] = [];
  try {
    for (const { name, group, files, trains = true } of plan) {
      const answers: BarAnswer[] = [];
      if (trains && memory !== undefined) {
        const { series: ticks, sha256 } = await readTickFile(files[0]);
        for (const cell of leftOut.filter(({ fileSha256 }) => fileSha256 === sha256))
          answers.push(...leftOutMemory(ticks, cell, memory, TICKS));
      } else {
        const ticks = await readSeries(files);
        for (const horizonS of HORIZONS_S) answers.push(...(await answersOf(forecaster, ticks, horizonS)));
      }
      series.push({ name, group, trains, answers });
      log(`${name}: ${answers.length} answers`);
    }
  } finally {
    await close();
  }
  const rows = series.flatMap(ratedRows);
  const ofHead = (head: number) => rows.filter(({ horizonMs }) => bucketOf(horizonMs / 1000) === head);
  const heads = manifest.heads.map((head, at) => {
    const own = ofHead(at);
    const shares = [own.map(({ window }) => window), own.map(({ history }) => history)].map((p) =>
      cutOfShare(
        p,
        own.map(({ of }) => of),
      ),
    );
    return { ...head, cut: head.cut === null ? null : Math.max(head.cut, ...shares) };
  });
  const cells = heads.map(({ cut }, at): MarkCell => ({ name: BUCKET_NAMES[at], cut: cut && Number(cut.toFixed(3)), rows: ofHead(at) }));
  const tables = [
    mostMarkedTable('Most of the windows of one series that are marked', 'head', cells, series),
    marksTable('Series that took no part in the training', 'head', cells, ({ of }) => !series[of].trains),
    marksTable('Groups left out of the training', 'head', cells, ({ of }) => series[of].trains),
  ];
  const section = [
    SECTION,
    'What the cuts mark at the default threshold: of groups that the predicting network never saw, and of series that took no part in the training. A cut marks at most a fifth of the windows of each series with 100 of them, alone and with its memory, so that a market not known to it should stay within a quarter; how many windows are marked does not depend on outcomes. The cuts of 1.5 times the base rate were chosen on these left-out groups.',
    ...tables.flatMap(({ title, head, lines }) => [`**${title}**`, markdownTable([head, ...lines], true).join('\n')]),
  ].join('\n\n');
  await addSection(folder, section, { heads });
}

async function answersOf(forecaster: Forecaster, series: TickSeries, horizonS: number): Promise<BarAnswer[]> {
  const everyS = Math.max(horizonS + 1, series.timesUs.length > MANY_TICKS ? MANY_EVERY_S : 0);
  const options = { ticks: TICKS, horizonUs: horizonS * US_PER_SECOND, everyUs: everyS * US_PER_SECOND };
  const alone: ReplayedWindow[] = [];
  for await (const window of replayTicks(forecaster, series, { ...options, memory: 'off' })) alone.push(window);
  const answers: BarAnswer[] = [];
  let at = 0;
  for await (const { timeUs, probability, outcome } of replayTicks(forecaster, series, options)) {
    const { probability: window } = alone[at++];
    if (probability === null || window === null || typeof outcome !== 'number') continue;
    answers.push({
      ...{ periodMs: 0, horizonMs: 1000 * horizonS, endMs: timeUs / US_PER_MS, days: Math.floor((timeUs - series.timesUs[0]) / DAY_US) },
      ...{ baseline: NaN, window, history: probability, y: outcome, isWithin: null },
    });
  }
  return answers;
}

/** node --import tsx bench/search/addCuts.ts FOLDER PLAN.json */
if (import.meta.filename === process.argv[1]) {
  const [folder = '', plan = ''] = process.argv.slice(2);
  // Makes the tensors that are saved.
  await openRuntime('wasm', { environment: tensorflowEnvironment() });
  await addCuts(path.resolve(folder), readBarPlan(plan), (line) => process.stderr.write(`${line}\n`));
}
