import type { Static } from 'typebox';
import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import type { OpenForecaster } from '../../service/app/openForecaster.ts';
import { parseBars, parseDurationMs } from '../../contract/duration.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import { rangeAt } from '../../ticks/TickWindow.ts';
import { optionSchemas, optionsOf } from '../../contract/readOptions.ts';
import { Type } from '../../core/schema.ts';
import { fieldProblem, invalidRequest, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { KEPT_SPREADS, readTickFile } from '../../ticks/import/streamTickFile.ts';
import { medianSpreadBps } from '../../ticks/tickColumns.ts';
import { LiveDesk } from '../../engine/live/LiveDesk.ts';
import type { ForecastPlan } from '../../engine/live/LiveSeries.ts';
import { localOwner } from '../../engine/live/localOwner.ts';
import { refuseShortHorizon } from '../files/refuseShortHorizon.ts';
import { seenInTraining, touches } from '../files/seenInTraining.ts';
import { suitedPlans } from '../suitedPlans.ts';
import { BAR_TIME_ARGUMENT, barsOfTool } from './toolBars.ts';
import { checkTickFile, memoryOff, severalOf, text, texts, toolInput, whole, withoutQuotes } from './toolInputs.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';

/** Most ticks of a file that one call replays: at one forecast each 5 s, some seconds of work. */
const MOST_TICKS = KEPT_SPREADS;
const DEFAULT_TICKS = 5000;
/** Most forecasts of one call; further ones are refused before the first. */
const MOST_FORECASTS = 5000;
/** Forecasts and outcomes in the result: the score has the rest. */
const SHOWN = 10;

const LiveSchema = Type.Object({
  file: Type.String({ description: 'Path of a tick file of any form that tickmark reads.' }),
  horizons: texts('How far ahead: 10s, 60s, 5m, of bars 5bars; a day at most.'),
  every: text('Time between forecasts on the clock of the ticks; 5s by default, each bar of a file of bars.'),
  bar_time: BAR_TIME_ARGUMENT,
  ticks: whole(200, MOST_TICKS, `How many of its last ticks are replayed; ${DEFAULT_TICKS} by default.`),
  ...optionSchemas('live tool'),
  memory: memoryOff('Forecasts do not use what the series has said before.'),
});
type LiveInput = Static<typeof LiveSchema>;

export const liveInput = toolInput(LiveSchema);

/** Replays the last ticks of a file as a live series: the score, and the last forecasts and outcomes. */
export async function replayLive(input: LiveInput, open: () => Promise<Pick<OpenForecaster, 'forecaster' | 'models'>>): Promise<object> {
  checkTickFile(input.file);
  // Before a long file is read.
  if (!hasBarHorizon(input)) plansOf(input, undefined);
  const { bar_time: barTime } = input;
  const read = await withoutQuotes(() => readTickFile(input.file, { barTime }));
  const bars = barsOfTool(read, barTime);
  const plans = plansOf(input, bars);
  const { series: all, spreadsBps } = read;
  const { timesUs, prices } = all;
  const replayed = input.ticks ?? DEFAULT_TICKS;
  const from = Math.max(0, timesUs.length - replayed);
  const spreads = spreadsBps.subarray(-replayed);
  if (input.min_move_bps === 'cost') checkCost(medianSpreadBps(spreads));
  if (timesUs.length === from) throw new ServiceError('file.malformed', 'the file has no tick.');
  const seconds = (timesUs.at(-1)! - timesUs[from]) / 1e6;
  const count = plans.reduce((sum, { everyMs }) => sum + Math.min(timesUs.length - from, (seconds * 1000) / Number(everyMs)), 0);
  if (count > MOST_FORECASTS)
    throw new ServiceError(
      'command.invalid',
      `These would be about ${Math.round(count)} forecasts, at most ${MOST_FORECASTS}: give a longer every or fewer ticks.`,
    );
  if (bars === undefined) for (const { horizonMs } of plans) refuseShortHorizon(input.file, all, horizonMs * US_PER_MS);
  const { forecaster, models } = await open();
  const version = models.find(input.model ?? models.defaultId);
  const window = { timesUs: timesUs.subarray(from), prices: prices.subarray(from) };
  const isSeen =
    version !== undefined &&
    (version.seen?.includes(window, version.manifest.lineage.data) === true ||
      touches(await seenInTraining(read, version.manifest), window));
  const [forecasts, outcomes]: [object[], object[]] = [[], []];
  const versionHas = version !== undefined && usesMemory(version, bars !== undefined);
  let scores: object[] = [];
  const owner = localOwner({
    usesMemory: versionHas,
    memory: input.memory,
    compute: (request, call) => forecaster.forecast(request, call),
    send: (message) => {
      if (message.type === 'forecast') keep(forecasts, message);
      else if (message.type === 'outcome') keep(outcomes, message);
      else if (message.type === 'score') scores = message.scores;
    },
  });
  const desk = new LiveDesk(owner);
  const series = (await desk.begin({
    ...{
      name: 'file',
      model: input.model,
      plans: bars === undefined ? suitedPlans(plans, version?.manifest, versionHas && input.memory !== 'off') : plans,
    },
    ...{ bars: bars && { periodMs: bars.periodMs }, readMemory: owner.readMemory() },
  }))!;
  for (let i = from; i < timesUs.length; i++) {
    for (let wait; (wait = desk.waitFor(series, timesUs[i])) !== undefined;) await wait;
    desk.push(series, timesUs[i], prices[i], spreads[i - from], rangeAt(bars?.ranges, i));
  }
  await desk.closeSeries('file');
  return {
    ticks: timesUs.length - from,
    from: writeTimestamp(timesUs[from]),
    to: writeTimestamp(timesUs.at(-1)!),
    seen_in_training: isSeen,
    scores,
    last_forecasts: forecasts,
    last_outcomes: outcomes,
  };
}

function keep(all: object[], one: object): void {
  all.push(one);
  if (all.length > SHOWN) all.shift();
}

/** Throws ServiceError `request.invalid` for a file without a spread. */
function checkCost(spreadBps = 0): void {
  if (spreadBps > 0) return;
  throw invalidRequest([fieldProblem('/min_move_bps', 'min_move_bps.cost_unknown', 'min_move_bps is cost, but the file has no spread.')]);
}

const hasBarHorizon = ({ horizons }: LiveInput): boolean => horizons.some((text) => parseBars(text) !== undefined);

function plansOf(input: LiveInput, bars: BarWindow | undefined): ForecastPlan[] {
  const { horizons, every } = input;
  const options = optionsOf(input);
  const everyMs = every === undefined && bars !== undefined ? bars.periodMs : durationOf(every ?? '5s', '/every');
  return severalOf(horizons, bars).map(({ text, us }) => ({ id: text, horizonMs: us / US_PER_MS, everyMs, options }));
}

function durationOf(text: string, pointer: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return ms;
  throw invalidRequest([
    fieldProblem(pointer, 'field.out_of_range', 'A duration is a whole number with its unit, at most one day: 5s, 5m.'),
  ]);
}
