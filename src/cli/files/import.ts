import type { Command } from 'commander';
import { plural } from '../../core/plural.ts';
import type { ImportReport } from '../../ticks/import/ImportReport.ts';
import { act, jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { addFileOptions, fileOptions, type FileFlags, importFile, findingsText, reportJson, reportText } from './importFile.ts';
import { TickCsvWriter } from './TickCsvWriter.ts';

const HELP = `
FILE is any common CSV dialect, Dukascopy, HistData, TrueFX, Binance, MetaTrader, Parquet, JSON or JSON Lines, plain or compressed with gzip or zip.
The format is detected from the content. docs/reference/files.md says how to get each format.

Examples:
  $ tickmark import BTCUSDT-aggTrades-2025-01-02.zip                          prints what is in it
  $ tickmark import BTCUSDT-aggTrades-2025-01-02.zip --out btcusdt.csv.gz     and writes it as timestamp,price
  $ tickmark import DAT_ASCII_EURUSD_T_*.csv --out eurusd.csv                 merges several files, given in time order
  $ tickmark import export.csv --zone America/New_York --out ticks.csv
  $ tickmark import export.csv --columns 'date=Datum,time=Uhrzeit,price=Kurs' --out ticks.csv`;

type ImportFlags = GlobalOptions & FileFlags & { readonly out?: string; readonly force?: boolean };

export function addImport(program: Command, context: CliContext): void {
  addFileOptions(
    program
      .command('import')
      .argument('<files...>', 'tick files of any known format')
      .description('read tick files of any known format, describe them, and write them as CSV for the other commands')
      .option('--out <file>', 'write the ticks to this file, compressed if the name ends in .gz')
      .option('--force', 'replace the file if it exists'),
  )
    .addHelpText('after', HELP)
    .action(act(context, importFiles));
}

async function importFiles(
  { out, err, paint }: CliContext,
  files: readonly string[],
  { out: target, force = false, json, ...flags }: ImportFlags,
): Promise<void> {
  const writer = target === undefined ? undefined : new TickCsvWriter(target, force);
  const reports: ImportReport[] = [];
  try {
    for (const file of files) reports.push(await importFile(file, writer ?? { add: () => {} }, fileOptions(flags), err));
    await writer?.finish();
  } catch (error) {
    writer?.abandon();
    throw error;
  }
  if (json)
    return out(
      jsonLine({ files: reports.map((report, i) => reportJson(files[i], report)), out: target ?? null, ticks: writer?.ticks ?? null }),
    );
  reports.forEach((report, i) => out(`${reportText(files[i], report)}${findingsText(report.notes, paint.out)}`));
  if (writer === undefined) return out('\nNothing was written: --out FILE.csv writes what was read.\n');
  out(
    `\nWritten: ${target}, ${plural(writer.ticks, reports[0]?.bars === undefined ? 'tick' : 'bar')}. Next: tickmark predict ${target} --horizon ${reports[0]?.bars === undefined ? '60s' : '5bars'}\n`,
  );
}
