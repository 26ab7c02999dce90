import { groupBy } from '../../core/groupBy.ts';
import type { Command } from 'commander';
import { READS_ONLY } from '../../service/app/withAccounts.ts';
import { againstText, concludeSentence } from '../../engine/live/score.ts';
import { concludedText } from '../../engine/scoring/conclusions.ts';
import { coverageShare } from '../../engine/scoring/coverage.ts';
import { isDay } from '../../contract/queryParameters.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { summarizeRecord, type RecordSummary } from '../../service/live/summarizeRecord.ts';
import { readRecord, type RecordQuery, type RecordRow } from '../../service/live/TrackRecord.ts';
import { withOpen } from './keys.ts';
import { aligned } from '../forecast/payoffText.ts';
import { textThat } from '../parseOptions.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, plain } from '../CliContext.ts';

const HELP = `
Examples:
  $ tickmark track-record trader@example.com
  $ tickmark track-record trader@example.com --series eurusd --from 2026-01-25 --to 2026-01-31
  $ tickmark track-record trader@example.com --json

Reads the account store of a running service (DATA_DIR or MONGODB_URI), which writes what it has counted
every 10 s, and when a live series ends.
The conclusion compares the Brier score of the forecasts with that of the better of two baselines, which have learned from the outcomes\nbefore each forecast: the volatility baseline with slope and intercept of the series, and the base rate so far.`;

type RecordOptions = Omit<RecordQuery, 'accountId'>;

const parseDay = textThat(isDay, 'Write a UTC day such as 2026-01-31.');

export function addTrackRecord(program: Command, context: CliContext): void {
  program
    .command('track-record')
    .argument('<account>', 'e-mail or id')
    .description('show how right the forecasts of an account were')
    .option('--series <name>', 'only this series')
    .option('--model <id>', 'only this model version')
    .option('--from <day>', 'first UTC day, such as 2026-01-25', parseDay)
    .option('--to <day>', 'last UTC day, such as 2026-01-31', parseDay)
    .addHelpText('after', HELP)
    .action(act(context, showRecord));
}

async function showRecord(
  { out }: CliContext,
  emailOrId: string,
  { json, series, model, from, to }: GlobalOptions & RecordOptions,
): Promise<void> {
  if (from !== undefined && to !== undefined && from > to)
    throw new ServiceError('command.invalid', `--to must not be before --from, ${from}; it is ${to}.`);
  await withOpen(async ({ store, find }) => {
    const { id, email } = await find(emailOrId);
    const wanted = { ...(series && { series }), ...(model && { model }), ...(from && { from }), ...(to && { to }) };
    const rows = await readRecord(store, { accountId: id, ...wanted });
    const sum = summarizeRecord(rows.map(({ tally }) => tally));
    if (json === true) {
      const days = rows.map(({ accountId: _id, tally, ...key }) => ({ ...key, ...tally }));
      return out(jsonLine({ id, email, rows: days, ...sum }));
    }
    if (rows.length === 0) return out(`${plain(email)} has no forecasts in its track record.\n`);
    const days = new Set(rows.map(({ day }) => day));
    const title = `${plain(email)}, ${rows[0]?.day ?? ''} to ${rows.at(-1)?.day ?? ''} (UTC), days with forecasts: ${days.size}`;
    const groups = [...groupBy(rows, nameOf)].map(([name, members]) => [
      ...name.split(' '),
      ...figures(summarizeRecord(members.map(({ tally }) => tally))),
    ]);
    const table = [HEADS, ...groups, ['all', '', '', '', ...figures(sum)]];
    out(
      `${[title, ...aligned(table, NAMES), concludeSentence(sum) ?? 'No outcome is known yet.', ...calibrationLines(sum), ...coverageLines(sum), ...touchLines(sum)].join('\n')}\n`,
    );
  }, READS_ONLY);
}

/** Series, version, horizon bucket and kind of threshold. */
const nameOf = ({ series, model, bucket, ownThreshold }: RecordRow): string =>
  [series, model, bucket, ownThreshold ? 'own' : 'default'].join(' ');

const HEADS = [
  ...['series', 'model', 'horizon', 'threshold', 'forecasts', 'outcomes', 'unscored', 'marks', 'hits', 'precision', 'base rate'],
  ...['Brier', 'volatility', 'rate so far', 'conclusion'],
];
const NAMES = 4;

function figures(sum: RecordSummary): string[] {
  const { forecasts, outcomes, unscored, marks, hits, precision, baseRate, brier, against, rival, conclusion } = sum;
  const decimals = (value: number | null): string => (value === null ? '–' : value.toFixed(4));
  return [
    ...[forecasts, outcomes, unscored, marks, hits].map(String),
    ...[precision, baseRate, brier, against.baseline?.brier ?? null, against.base_rate?.brier ?? null].map(decimals),
    rival === null ? '' : concludedText(conclusion, rival),
  ];
}

/** Of all rows: how many moved of the forecasts with about the same probability. */
function calibrationLines({ bins }: RecordSummary): string[] {
  if (bins.length === 0) return [];
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  const lines = bins.map(
    ({ tenth, outcomes, moved, probabilitySum }) =>
      `  ${tenth * 10} to ${(tenth + 1) * 10} %: ${percent(probabilitySum, outcomes)} on average, ${percent(moved, outcomes)} moved (${moved} of ${outcomes})`,
  );
  return ['Calibration, by the probability of the forecasts:', ...lines];
}

/** Of all rows: how many moves stayed within the ranges. */
function coverageLines({ coverage }: RecordSummary): string[] {
  const percent = (fraction: number): string => `${(100 * fraction).toFixed(1)} %`;
  return coverage.map((one) => {
    const { share, interval } = coverageShare(one);
    const counts = `${one.covered} of ${one.outcomes}; 99 % interval ${interval.map(percent).join(' to ')}`;
    return `${Math.round(one.level * 100)} % ranges: ${percent(share)} of the moves within (${counts}).`;
  });
}

/** Of all rows: how many prices of touch were reached. */
function touchLines({ touches }: RecordSummary): string[] {
  if (touches === null) return [];
  const { levels, reached, forecastBrier, brier } = touches;
  const scores = `Brier ${forecastBrier.toFixed(4)}, ${brier.toFixed(4)} of a driftless normal price, lower by ${againstText(touches)}`;
  return [`Touches: ${reached} of ${levels} prices were reached; ${scores}.`];
}
