import { readSettings } from '../../config/settings.ts';
import { modelFolders } from '../../app/modelFolders.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ImportReport, TrainedDensity } from '../../import/ImportReport.ts';
import { jsonLine, type CliContext } from '../CliContext.ts';
import { CleanSink, type Drops } from './CleanSink.ts';
import { importFile } from './importFile.ts';
import { fileOptions, type FileFlags } from './importOptions.ts';
import { findingsText, reportJson, reportText, verdictOf } from './importText.ts';
import { TickCsvWriter } from './TickCsvWriter.ts';

export type DoctorFileFlags = FileFlags & { readonly json?: boolean; readonly fix?: boolean | string; readonly force?: boolean };

/** Of the ticks of a file. */
const MAX_DROPPED_SHARE = 0.01;
const TONES = { good: 'good', usable: 'warn', unusable: 'bad' } as const;
const NOWHERE = { add: (): void => {} };
const VERDICTS = {
  good: 'Good: nothing to do.',
  usable: 'Usable: read the warnings.',
  unusable: 'Not usable as it is: mend what fails.',
} as const;

/** Looks a tick file over; with `--fix` writes a clean copy. Exit code 1 where the file cannot be used as it is and no copy was made. */
export async function doctorFile({ out, err, fail, paint }: CliContext, path: string, flags: DoctorFileFlags): Promise<void> {
  const trained = await trainedDensity();
  const options = { ...fileOptions(flags), ...(trained === undefined ? {} : { trained }) };
  const report = await importFile(path, NOWHERE, { ...options, order: 'keep' }, err);
  const verdict = verdictOf(report.notes);
  const { fix } = flags;
  const target = fix === undefined || fix === false ? undefined : fix === true ? cleanName(path) : fix;
  const copy = target === undefined ? undefined : await writeClean(path, target, options, flags.force ?? false, err);
  if (
    verdict === 'unusable' &&
    (copy === undefined || verdictOf(copy.report.notes.filter(({ code }) => code !== 'order.step_back')) === 'unusable')
  )
    fail();
  if (flags.json)
    return out(
      jsonLine({
        ...reportJson(path, report),
        fixed: copy === undefined ? null : { file: target, ticks: copy.ticks, changes: copy.changes, kept: copy.kept },
      }),
    );
  out(`${reportText(path, report)}${findingsText(report.notes, paint.out)}\n${paint.out(TONES[verdict], VERDICTS[verdict])}\n`);
  if (copy !== undefined)
    out(
      `Written: ${target}, ${copy.ticks.toLocaleString('en-US')} ticks; ${copy.changes.length === 0 ? 'nothing had to be changed' : copy.changes.join('; ')}.\n${copy.kept.map((text) => `Kept: ${text}.\n`).join('')}`,
    );
}

type CleanCopy = {
  readonly report: ImportReport;
  readonly ticks: number;
  /** What was changed, and what was not although it looks wrong, each a clause with its count. */
  readonly changes: readonly string[];
  readonly kept: readonly string[];
};

/**
 * Writes the ticks in order, without repeated rows, crossed quotes and spikes. Of a kind that is more than `MAX_DROPPED_SHARE` none is left
 * out: so many are no slips, and what they are is for the user to say.
 */
async function writeClean(
  path: string,
  target: string,
  options: Parameters<typeof importFile>[2],
  force: boolean,
  err: (text: string) => void,
): Promise<CleanCopy> {
  let drops: Drops = { crossed: true, spikes: true };
  const kept: string[] = [];
  for (;;) {
    const writer = new TickCsvWriter(target, force);
    try {
      const clean = new CleanSink(writer, drops);
      const report = await importFile(path, clean, { ...options, order: 'sort', dropsRepeated: true }, err);
      clean.end();
      const most = MAX_DROPPED_SHARE * report.ticks;
      const tooMany = { crossed: clean.crossed > most, spikes: clean.spikes > most };
      if (tooMany.crossed || tooMany.spikes) {
        writer.abandon();
        if (tooMany.crossed)
          kept.push(keptText(clean.crossed, report.ticks, 'quotes with a bid above the ask', 'bid and ask have changed places'));
        if (tooMany.spikes) kept.push(keptText(clean.spikes, report.ticks, 'ticks on spikes', 'prices of two sources are mixed'));
        drops = { crossed: drops.crossed && !tooMany.crossed, spikes: drops.spikes && !tooMany.spikes };
        continue;
      }
      await writer.finish();
      const changes = [
        ...report.notes.flatMap(({ code, count }) => changeText(count, CHANGES[code])),
        ...changeText(clean.crossed, 'quotes with a bid above the ask left out'),
        ...changeText(clean.spikes, 'ticks on spikes left out'),
      ];
      return { report, ticks: writer.ticks, changes, kept };
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
}

const keptText = (count: number, ticks: number, what: string, suspicion: string): string =>
  `${count.toLocaleString('en-US')} ${what}, ${Number(((100 * count) / ticks).toPrecision(2))} % of the ticks. Above ${100 * MAX_DROPPED_SHARE} % none is left out: if the file looks sound otherwise, ${suspicion}`;

const changeText = (count: number, done: string | undefined): string[] =>
  done === undefined || count === 0 ? [] : [`${count.toLocaleString('en-US')} ${done}`];

const CHANGES: Readonly<Record<string, string>> = {
  'order.newest_first': 'file from newest to oldest turned round',
  'order.step_back': 'rows put in order',
  'row.repeated': 'repeated rows left out',
  'row.no_price': 'rows without a price left out',
  'row.header_again': 'headers inside left out',
  'row.cut_off': 'cut-off row left out',
  'price.not_positive': 'rows with a price of 0 or less left out',
};

/** `eurusd.csv.gz` -> `eurusd.clean.csv.gz` */
function cleanName(path: string): string {
  const isPacked = /\.gz$/i.test(path);
  return `${path.replace(/\.gz$/i, '').replace(/\.[a-z0-9]{1,8}$/i, '')}.clean.csv${isPacked ? '.gz' : ''}`;
}

/** What the version that answers now was trained on; undefined where there is none to ask. */
async function trainedDensity(): Promise<TrainedDensity | undefined> {
  const settings = readSettings();
  const { findVersion, loadCatalog } = await import('../../model/loadCatalog.ts');
  try {
    const catalog = loadCatalog(modelFolders(settings), settings.model);
    const [fromS, toS] = findVersion(catalog, catalog.defaultId).manifest.trained.medianGapS;
    return { medianGapMs: [fromS * 1000, toS * 1000] };
  } catch (error) {
    // A file can be looked over without a model; doctor without FILE says what is wrong with the models.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
