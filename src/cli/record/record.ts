import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reading } from '../../core/fileErrors.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { plural } from '../../core/plural.ts';
import { streamTickFile } from '../../ticks/import/streamTickFile.ts';
import { SeriesSink } from '../../ticks/TickSeries.ts';
import { concludeSentence } from '../../engine/live/score.ts';
import { act, jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { addFileOptions, fileOptions, type FileFlags } from '../files/importFile.ts';
import { type RecordScore, scoreRecord } from './scoreRecord.ts';
import { RecordFault, type VerifiedRecord, verifyRecord } from './verifyRecord.ts';

const HELP = `
Examples:
  $ curl -s -H "Api-Key: $KEY" 'http://127.0.0.1:8080/auth/track-record/sealed' > my.record
  $ tickmark record verify my.record
  $ tickmark record verify my.record --published last-week.record seals.txt
  $ tickmark record verify my.record --series eurusd --ticks eurusd.csv.gz --key KEY

Needs no service and no network. --published names files with seals that were published before, or earlier
downloads: without one, a record shows only that it is whole, not that it is the one that was made at the time.
Exit code 1 if anything was changed, added, left out or moved, or an outcome differs from the ticks.
What a record proves, and what it cannot: docs/how-to/track-record.md.`;

type VerifyFlags = GlobalOptions &
  FileFlags & {
    readonly key?: string;
    readonly published?: readonly string[];
    readonly series?: string;
    readonly ticks?: string;
  };

export function addRecord(program: Command, context: CliContext): void {
  const record = program.command('record').description('check the sealed forecasts of an account').addHelpText('after', HELP);
  addFileOptions(record.command('verify').argument('<file>', 'a record, as GET /auth/track-record/sealed answers it'))
    .description('check a downloaded record: nothing added later, changed, left out or moved')
    .option('--published <files...>', 'files with seals that were published before')
    .option('--key <key>', 'the public key that the seals must have')
    .option('--series <name>', 'score only this series')
    .option('--ticks <file>', 'tick file of the series, to compute its outcomes from')
    .addHelpText('after', HELP)
    .action(act(context, verifyFile));
}

const readText = (file: string): string => reading(file, () => readFileSync(file, 'utf8'));

async function verifyFile({ out, fail }: CliContext, file: string, flags: VerifyFlags): Promise<void> {
  const text = readText(file);
  const published = flags.published?.flatMap((name) => readText(name).split('\n'));
  let record: VerifiedRecord;
  try {
    record = verifyRecord(text, { key: flags.key, published });
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    out(flags.json === true ? jsonLine({ holds: false, fault: error.message }) : `${file} does not hold: ${error.message}.\n`);
    return fail();
  }
  const sink = new SeriesSink(flags.ticks ?? '');
  if (flags.ticks !== undefined) await streamTickFile(flags.ticks, sink, fileOptions(flags));
  const names = [...new Set(record.forecasts.map((one) => one.series))].sort();
  const { series } = flags;
  if (series !== undefined && !names.includes(series))
    throw new ServiceError('command.invalid', `--series ${series}: the record has forecasts of ${names.join(', ') || 'no series'}.`);
  if (series === undefined && flags.ticks !== undefined && names.length > 1)
    throw new ServiceError('command.invalid', `--ticks: name the series of the ticks with --series: ${names.join(', ')}.`);
  const chosen = record.forecasts.filter((one) => series === undefined || one.series === series);
  const score = scoreRecord(chosen, flags.ticks === undefined ? undefined : sink.takeSeries());
  const holds = score.differing.length === 0;
  if (flags.json === true) {
    const { forecasts: _forecasts, ...rest } = record;
    const { differing, ...counts } = score;
    out(jsonLine({ holds, ...rest, series: names, ...counts, differing: differing.length }));
  } else out(describe(record, names, score, flags));
  if (!holds) fail();
}

const timeText = (ms: number): string => new Date(ms).toISOString();

function describe(
  { first, seals, orphans, published }: VerifiedRecord,
  names: readonly string[],
  score: RecordScore,
  { series, ticks, published: files }: VerifyFlags,
): string {
  const { n, atMs, key } = seals.at(-1)!;
  const keys = new Set(seals.map((seal) => seal.key));
  const lines = [
    `Lines ${first + 1} to ${n} of the chain, sealed ${timeText(atMs)}; ${plural(seals.length, 'seal')}, all hashes hold.`,
    `Key of the last seal: ${key}${keys.size > 1 ? `; ${plural(keys.size - 1, 'other key')} before it` : ''}. Compare it with the published key.`,
  ];
  if (names.length > 0) lines.push(`Series: ${names.join(', ')}${series === undefined ? '' : `; scored: ${series}`}.`);
  if (first > 0) lines.push(`The ${plural(first, 'line')} before are not in the file: they expired, or were left out.`);
  if (orphans > 0) lines.push(`${plural(orphans, 'outcome')} of forecasts before the file.`);
  if (files === undefined)
    lines.push('No published seal was compared (--published): the service could have written the whole record today.');
  else lines.push(`Published seals that hold: ${published.held}; of times before the file: ${published.before}.`);
  const late = score.forecasts - score.inTime;
  lines.push(
    `${plural(score.forecasts, 'forecast')}, ${late} of them sealed after their future timestamp; outcomes: ${score.outcomes}, without: ${score.unscored}.`,
  );
  if (ticks !== undefined) {
    const { recomputed, differing, leftOut } = score;
    lines.push(
      `Outcomes computed from ${ticks}: ${recomputed}; the record says otherwise of ${differing.length} and nothing of ${leftOut}.`,
    );
    for (const { originMs, endMs } of differing.slice(0, 5)) lines.push(`  differs: ${timeText(originMs)} to ${timeText(endMs)}`);
  }
  if (score.marks > 0)
    lines.push(`${score.hits} of ${plural(score.marks, 'mark')} came true; of all outcomes ${score.moved} of ${score.outcomes} moved.`);
  lines.push(concludeSentence(score) ?? 'No outcome is known yet.');
  return `${lines.join('\n')}\n`;
}
