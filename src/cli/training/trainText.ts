import type { EstimateReport, TrainEvent, TrainReport } from '../../../training/TrainOptions.ts';
import { plural } from '../../core/plural.ts';
import { generatedTicksFault } from '../../engine/model/registry/promoteVersion.ts';

/** The progress of a run in one line. */
export function eventText(event: TrainEvent): string {
  switch (event.kind) {
    case 'read':
      return `read ${event.name}: ${plural(event.rows, 'tick')}`;
    case 'rows':
      return `${event.what} rows: ${event.done} of ${event.total}`;
    case 'trunk':
      return `frozen trunk: ${event.done} of ${event.total} rows`;
    case 'training':
      return `training: network ${Math.min(event.jobsDone + 1, event.jobs)} of ${event.jobs}, ${(100 * event.share).toFixed(0)} %, loss ${event.loss.toFixed(4)}, ${event.rowsPerS.toFixed(0)} rows/s, ${durationText(event.etaS)} left`;
    case 'note':
      return event.text;
  }
}

/** Whether the next event of this kind replaces its line. */
export const isPassing = ({ kind }: TrainEvent): boolean => kind === 'training' || kind === 'rows' || kind === 'trunk';

function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The estimate of a run for a terminal. */
export function estimateText({ sources, trainRows, testRows, estimate }: EstimateReport): string {
  const lines = sources.map(
    (source) =>
      `  ${source.name}: ${plural(source.rows, 'tick')}, ${source.from} to ${source.to}, ${plural(source.days, 'day')}, median gap ${source.medianGapS.toPrecision(3)} s, ${(100 * source.equalTimestampFraction).toFixed(0)} % equal timestamps, group ${source.group}`,
  );
  const cost = `About ${Math.ceil(estimate.memoryMb)} MB of memory and ${durationText(estimate.seconds)} on this machine.\n`;
  return `${lines.join('\n')}\n${plural(trainRows, 'training origin')}, ${plural(testRows, 'test origin')} at most.\n${cost}Dry run: nothing was trained.\n`;
}

/** The result of a run for a terminal: counts, table, decision, failed checks, suggestions, next commands, and what a bot will do. */
export function reportText({
  id,
  mode,
  synthetic,
  folder,
  reportFile,
  verdict,
  marks,
  exampleHorizon,
  table,
  trainRows,
  testRows,
  folds,
  seconds,
}: TrainReport): string {
  const counts = `${plural(trainRows, 'training row')}, ${plural(testRows, 'test row')}; ${mode === 'base' ? `groups left out: ${folds.join(', ')}` : 'evaluated on later ticks'}.`;
  const failed = verdict.checks.filter(({ holds }) => !holds).map(({ text }) => `  fails: ${text}`);
  const advice = verdict.advice.map((text) => `  what would help: ${text}`);
  const written =
    folder === null
      ? [
          `Only the report was written: ${reportFile}`,
          'With --force, the version is written anyway, and its card says that it did not pass.',
        ]
      : [
          `Written to ${folder} in ${durationText(seconds)}.`,
          `Report:   ${reportFile}`,
          `Card:     npx tickmark models show ${id}`,
          `Try it:   npx tickmark predict FILE --horizon ${exampleHorizon} --model ${id}`,
          `          or add ?model=${id} to POST /auth/ti-tick of a running service`,
          synthetic
            ? generatedTicksFault(id)
            : verdict.passed
              ? `Serve it: npx tickmark models promote ${id}`
              : 'It did not pass the gate: it cannot be promoted without --force.',
        ];
  return [
    counts,
    '',
    table,
    '',
    verdict.headline,
    ...failed,
    ...advice,
    '',
    ...written,
    ...(marks.length === 0 ? [] : ['', ...marks]),
    '',
  ].join('\n');
}
