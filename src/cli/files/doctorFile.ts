import { readSettings } from '../../core/config/settings.ts';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { plural } from '../../core/plural.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../../core/units.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { STANDARD_INPUT } from '../../ticks/import/bytes/fileChunks.ts';
import type { ImportReport, TrainedDensity } from '../../ticks/import/ImportReport.ts';
import { readTickFile } from '../../ticks/import/streamTickFile.ts';
import { jsonLine, type CliContext } from '../CliContext.ts';
import { CleanSink, type Drops } from './CleanSink.ts';
import { importFile, fileOptions, type FileFlags, findingsText, reportJson, reportText, resultOf } from './importFile.ts';
import { TickCsvWriter } from './TickCsvWriter.ts';
import { seenInTraining, touches } from './seenInTraining.ts';
import type { Setup } from '../../engine/scoring/usefulSetup.ts';
import { setupsText, usefulSetups } from './usefulSetups.ts';

export type DoctorFileFlags = FileFlags & { readonly json?: boolean; readonly fix?: boolean | string; readonly force?: boolean };

/** Fraction of the ticks of a file. */
const MAX_DROPPED_FRACTION = 0.01;
const TONES = { good: 'good', usable: 'warn', unusable: 'bad' } as const;
/** Errors that the clean copy no longer has. */
const FIXED_CODES: readonly string[] = ['order.step_back', 'row.malformed'];
const NOWHERE = { add: (): void => {} };
const RESULTS = {
  good: 'Good: nothing to do.',
  usable: 'Usable: read the warnings.',
  unusable: 'Not usable as it is: fix what fails.',
} as const;

/** Checks a tick file; with `--fix` writes a clean copy. Exit code 1 if the file cannot be used as it is and no usable copy was written. */
export async function doctorFile({ out, err, fail, paint }: CliContext, path: string, flags: DoctorFileFlags): Promise<void> {
  const { fix } = flags;
  if (path === STANDARD_INPUT && fix !== undefined && fix !== false)
    throw new ServiceError('command.invalid', '--fix reads the file twice: name a file instead of standard input.');
  const trained = await trainedDensity();
  const options = { ...fileOptions(flags), trained };
  const report = await importFile(path, NOWHERE, { ...options, order: 'keep', dropsMalformed: true, doubts: 'report' }, err);
  const verdict = resultOf(report.notes);
  const target = fix === undefined || fix === false ? undefined : fix === true ? cleanName(path) : fix;
  const copy =
    target === undefined
      ? undefined
      : await writeClean(path, target, { ...options, dropsRepeated: isWrittenTwice(report) }, flags.force ?? false, err);
  if (
    verdict === 'unusable' &&
    (copy === undefined || resultOf(copy.report.notes.filter(({ code }) => !FIXED_CODES.includes(code))) === 'unusable')
  )
    fail();
  const usable = copy === undefined ? (verdict === 'unusable' || path === STANDARD_INPUT ? undefined : path) : target;
  const useful = usable === undefined ? undefined : await setupsOf(usable, copy === undefined ? flags : {});
  if (flags.json)
    return out(
      jsonLine({
        ...reportJson(path, report),
        setups:
          useful === undefined
            ? null
            : {
                model: useful.model,
                seen_in_training: useful.seen,
                spread_bps: useful.spreadBps ?? null,
                horizons: useful.setups.map(setupJson),
              },
        fixed: copy === undefined ? null : { file: target, ticks: copy.ticks, changes: copy.changes, kept: copy.kept },
      }),
    );
  out(`${reportText(path, report)}${findingsText(report.notes, paint.out)}\n${paint.out(TONES[verdict], RESULTS[verdict])}\n`);
  if (useful !== undefined)
    out(`\n${setupsText(useful.model, useful.setups, useful.seen, useful.spreadBps, report.kind === 'bars' ? 'bar' : 'tick')}`);
  if (copy !== undefined)
    out(
      `Written: ${target}, ${plural(copy.ticks, report.kind === 'bars' ? 'bar' : 'tick')}; ${copy.changes.length === 0 ? 'nothing had to be changed' : copy.changes.join('; ')}.\n${copy.kept.map((text) => `Kept: ${text}.\n`).join('')}`,
    );
}

/** Whether rows that repeat the one before were exported twice, and are not trades of one moment. */
export const isWrittenTwice = ({ notes }: ImportReport): boolean =>
  notes.some(({ code, severity }) => code === 'row.repeated' && severity === 'warning');

/** What the default version can do on the file; undefined if there is no version, or the file cannot be forecast as it is. */
async function setupsOf(
  path: string,
  flags: DoctorFileFlags,
): Promise<{ model: string; setups: Setup[]; seen: boolean; spreadBps: number | undefined } | undefined> {
  const { openLocalForecaster } = await import('../../service/app/openLocalForecaster.ts');
  try {
    const file = await readTickFile(path, fileOptions(flags));
    const { series } = file;
    if (series.timesUs.length < MIN_ENTRIES - 1) return undefined;
    const open = await openLocalForecaster(readSettings());
    try {
      const model = open.models.find(open.models.defaultId)!;
      const setups = await usefulSetups(open.forecaster, model, file);
      return {
        model: model.id,
        setups,
        seen: setups.some(({ isSeen }) => isSeen) || touches(await seenInTraining(file, model.manifest), series),
        spreadBps: file.spreadBps(MAX_ENTRIES - 1),
      };
    } finally {
      await open.close();
    }
  } catch (error) {
    // A file from newest to oldest has no forecasts before it is fixed, and a file can be checked without a model.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

const setupJson = ({ horizonS, ticks, windows, marks, thresholdBps, cut, reason, medianMoveBps, hits, scored }: Setup): unknown => ({
  ...{ horizon_s: horizonS, ticks, windows, marks, threshold_bps: thresholdBps, decision_threshold: cut, reason },
  ...{ median_move_bps: medianMoveBps, hits, scored },
});

type CleanCopy = {
  readonly report: ImportReport;
  readonly ticks: number;
  /** What was changed, and what was not although it looks wrong, each a clause with its count. */
  readonly changes: readonly string[];
  readonly kept: readonly string[];
};

/**
 * Writes the ticks in order, without rows that cannot be read, rows that were exported twice, crossed quotes and spikes. Crossed quotes that
 * exceed `MAX_DROPPED_FRACTION` of the ticks are kept: so many are unlikely to be errors, and the user must decide. Throws for a file in doubt,
 * as one with so many spikes is, and writes nothing.
 */
export async function writeClean(
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
      const report = await importFile(path, clean, { ...options, order: 'sort', dropsMalformed: true }, err);
      clean.end();
      const most = MAX_DROPPED_FRACTION * report.ticks;
      if (clean.crossed > most) {
        writer.abandon();
        kept.push(
          keptText(
            plural(clean.crossed, 'quote'),
            'with a bid above the ask',
            clean.crossed / report.ticks,
            'bid and ask have changed places',
          ),
        );
        drops = { ...drops, crossed: false };
        continue;
      }
      await writer.finish();
      const changes = [
        ...report.notes.flatMap(({ code, count }) =>
          code === 'row.repeated' && options.dropsRepeated !== true ? [] : changeText(count, CHANGES[code]),
        ),
        ...changeText(clean.crossed, ['quote with a bid above the ask left out', 'quotes with a bid above the ask left out']),
        ...changeText(clean.spikes, ['tick on a spike left out', 'ticks on spikes left out']),
      ];
      return { report, ticks: writer.ticks, changes, kept };
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
}

const keptText = (count: string, what: string, fraction: number, suspicion: string): string =>
  `${count} ${what}, ${Number((100 * fraction).toPrecision(2))} % of the ticks. Above ${100 * MAX_DROPPED_FRACTION} % none is left out: if the file looks sound otherwise, ${suspicion}`;

/** `done`: for one, and for several. */
const changeText = (count: number, done: readonly [string, string] | undefined): string[] =>
  done === undefined || count === 0 ? [] : [plural(count, ...done)];

const left = (one: string, many: string): [string, string] => [`${one} left out`, `${many} left out`];
const CHANGES: Readonly<Record<string, readonly [string, string]>> = {
  'order.newest_first': ['newest-first file reversed', 'newest-first files reversed'],
  'order.step_back': ['row put in order', 'rows put in order'],
  'row.malformed': left('row that cannot be read', 'rows that cannot be read'),
  'row.repeated': left('repeated row', 'repeated rows'),
  'row.no_price': left('row without a price', 'rows without a price'),
  'row.no_stamp': left('row without a time', 'rows without a time'),
  'row.other': left('row of another market or kind', 'rows of another market or kind'),
  'row.header_again': left('header inside', 'headers inside'),
  'row.cut_off': left('cut-off row', 'cut-off rows'),
  'price.not_positive': left('row with a price of 0 or less', 'rows with a price of 0 or less'),
};

/** `eurusd.csv.gz` -> `eurusd.clean.csv.gz` */
function cleanName(path: string): string {
  const isPacked = /\.gz$/i.test(path);
  return `${path.replace(/\.gz$/i, '').replace(/\.[a-z0-9]{1,8}$/i, '')}.clean.csv${isPacked ? '.gz' : ''}`;
}

/** The tick density that the default version was trained on; undefined if there is no default version. */
async function trainedDensity(): Promise<TrainedDensity | undefined> {
  const settings = readSettings();
  const { BAR_PERIODS_MS } = await import('../../engine/model/BarModel.ts');
  const { findVersion, loadCatalog } = await import('../../engine/model/loadCatalog.ts');
  try {
    const catalog = loadCatalog(modelFolders(settings), settings.model);
    const { manifest, bars } = findVersion(catalog, catalog.defaultId);
    const [fromS, toS] = manifest.trained.medianGapS;
    return { medianGapMs: [fromS * 1000, toS * 1000], barPeriodMs: bars === undefined ? null : BAR_PERIODS_MS };
  } catch (error) {
    // A file can be checked without a model; doctor without FILE reports model faults.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
