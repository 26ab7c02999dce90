import type { Command } from 'commander';
import { readSettings } from '../../core/config/settings.ts';
import { plural } from '../../core/plural.ts';
import { fieldProblem, invalidRequest } from '../../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES, US_PER_SECOND } from '../../core/units.ts';
import { suitableTicks, USUAL_BARS, USUAL_TICKS } from '../../engine/model/suitableTicks.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { barsFrom } from '../../ticks/BarWindow.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { act, jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { addFileOptions, type FileFlags, readTicks } from '../files/importFile.ts';
import { barsOfFile } from '../files/barsOfFile.ts';
import { rememberFile } from '../files/rememberFile.ts';
import { refuseShortHorizon } from '../files/refuseShortHorizon.ts';
import { seenInTraining, touches } from '../files/seenInTraining.ts';
import { addForecastFlags, type ForecastFlags, optionsOfFlags } from '../forecastFlags.ts';
import { type Horizon, horizonText, horizonUs, parseHorizon, shortHorizonText, wholeNumber } from '../parseOptions.ts';
import { predictionText, type Prediction } from './forecastText.ts';

/** Entries of the wire contract count the future timestamp. */
const MIN_TICKS = MIN_ENTRIES - 1;
const MAX_TICKS = MAX_ENTRIES - 1;

const HELP = `
FILE has any format that tickmark import reads. The simplest is CSV in time order with the header timestamp,price or timestamp,bid,ask:
  timestamp,price
  2024-01-02 09:32:00.478,101.25

Examples:
  $ tickmark predict ticks.csv --horizon 60s
  $ tickmark predict ticks.csv.gz --horizon 5m --ticks 3000 --explain
  $ tickmark predict ticks.csv --horizon 60s --range 0.5,0.8,0.9 --above 1.0850
  $ tickmark predict ticks.csv --horizon 60s --min-move-bps 2.5 --json
  $ tickmark predict one-minute-bars.csv --horizon 5bars --bar-time open
  $ zcat ticks.csv.gz | tickmark predict - --horizon 60s
  $ tickmark predict export.csv --horizon 60s --columns 'date=Datum,time=Uhrzeit,price=Kurs'

The result is 1 if a move larger than the threshold is identified within the horizon, else null with the reasons.
It does not include a direction.`;

type PredictOptions = GlobalOptions &
  FileFlags &
  ForecastFlags & {
    readonly horizon: Horizon;
    readonly ticks?: number;
    readonly memory?: boolean;
    readonly explain?: boolean;
    readonly allRules?: boolean;
  };

export function addPredict(program: Command, context: CliContext): void {
  const command = addFileOptions(
    program
      .command('predict')
      .argument('<file>', 'tick file of any known format; - reads standard input')
      .description('make one forecast from the last ticks of a file, without a server')
      .option('--horizon <duration>', 'how far ahead: 10s, 60s, 5m, 1h, 1d, of bars also 3bars (required)', parseHorizon)
      .option(
        '--ticks <count>',
        'number of last ticks to use (default: the number that suits the horizon)',
        wholeNumber(MIN_TICKS, MAX_TICKS),
      )
      .option('--no-memory', 'do not use what the ticks before the window and the outcomes of earlier windows say')
      .option('--explain', 'print logits, the rules that are true or forbid a mark, levels, and the threshold that would change the result')
      .option('--all-rules', 'with --explain: print every rule, including those that are not true'),
  );
  addForecastFlags(command, 'predict')
    .addHelpText('after', HELP)
    .action(act(context, predict, 'horizon'));
}

async function predict({ out, err, paint }: CliContext, path: string, options: PredictOptions): Promise<void> {
  const wanted = optionsOfFlags('predict', options);
  const settings = readSettings();
  const file = await readTicks(path, options, err);
  // Checked before the network is loaded.
  lastTicks(file, MIN_TICKS);
  const bars = barsOfFile(file, `tickmark predict ${path} --horizon ${horizonText(options.horizon)}`);
  const aheadUs = horizonUs(options.horizon, file.path, bars);
  if (bars === undefined) {
    err(shortHorizonText(aheadUs));
    refuseShortHorizon(file.path, file.series, aheadUs);
  }
  const { openLocalForecaster } = await import('../../service/app/openLocalForecaster.ts');
  const open = await openLocalForecaster(settings);
  try {
    const model = open.models.find(wanted.model ?? open.models.defaultId);
    const suited =
      bars !== undefined ? USUAL_BARS : model === undefined ? USUAL_TICKS : suitableTicks(model.manifest, aheadUs / US_PER_SECOND);
    const series = lastTicks(file, options.ticks ?? suited);
    const futureUs = (series.timesUs.at(-1) as number) + aheadUs;
    const request = { series, futureUs, bars: bars && barsFrom(bars, file.rows - series.timesUs.length) };
    const memory = options.memory === false ? {} : await rememberFile(open.forecaster, model, file, request, wanted);
    const seen = model === undefined ? [] : await seenInTraining(file, model.manifest);
    const { mark, detail } = await open.forecaster.forecast(
      { ...request, spreadBps: () => file.spreadBps(series.timesUs.length), spreadsBps: () => file.spreadsBps },
      {
        ...{ ...wanted, detail: true, seenInTraining: touches(seen, series) },
        ...memory,
      },
    );
    const prediction: Prediction = {
      file: file.path,
      rows: file.rows,
      unit: bars === undefined ? 'tick' : 'bar',
      series,
      futureUs,
      mark,
      detail,
      suits: series.timesUs.length === suited,
      isOwn: wanted.minMoveBps !== undefined,
    };
    out(
      options.json
        ? jsonLine(asJson(prediction))
        : predictionText(prediction, { explain: options.explain ?? false, allRules: options.allRules ?? false }, paint.out),
    );
  } finally {
    await open.close();
  }
}

/** Throws ServiceError `request.invalid` where there are too few. */
export function lastTicks({ path, series, rows, bars }: Pick<TickFile, 'path' | 'series' | 'rows' | 'bars'>, count: number): TickSeries {
  if (rows < MIN_TICKS)
    throw invalidRequest([
      fieldProblem(
        path,
        'ticks.too_few',
        `The file holds ${plural(rows, bars === undefined ? 'tick' : 'bar')}; a forecast needs ${MIN_TICKS} or more.`,
      ),
    ]);
  const from = Math.max(0, rows - count);
  return { timesUs: series.timesUs.subarray(from), prices: series.prices.subarray(from) };
}

function asJson({ file, rows, unit, series, futureUs, mark, detail }: Prediction): unknown {
  return {
    file,
    rows,
    unit: unit === 'bar' ? unit : undefined,
    ticks: series.timesUs.length,
    last_tick: formatTimestamp(series.timesUs.at(-1) as number, 6),
    future: formatTimestamp(futureUs, 6),
    trend_identified: mark,
    detail,
  };
}
