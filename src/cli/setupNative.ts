import type { Command } from 'commander';
import type { SetupReport } from '../engine/native/setupNative.ts';
import { processEnvironment } from '../core/config/processEnvironment.ts';
import { installRoot } from '../core/packageRoot.ts';
import { act, jsonLine, type CliContext, type GlobalOptions, progressOf } from './CliContext.ts';
import { STOP_CODES, StopSignals } from './processEvents.ts';

const HELP = `
Examples:
  $ tickmark setup-native              TensorFlow for the processor: 0.3 GB to download, 0.9 GB of disk
  $ tickmark setup-native --cuda       for NVIDIA GPUs: 3.4 GB to download, 5.7 GB of disk
  $ tickmark setup-native --check      tests the existing installation, changes nothing

Writes only to .native in tickmark's own folder and keeps finished parts, so it can be stopped and run again.
Needs Linux on x64, Python with pip, g++ and make. More: docs/how-to/native.md.
Exit code 0 if the libraries give correct results and are used, else 1; 130 after Ctrl-C.`;

/** Without a terminal, the progress line is printed this often. */
const QUIET_MS = 10_000;

type Options = GlobalOptions & { readonly cuda?: boolean; readonly check?: boolean };

export function addSetupNative(program: Command, context: CliContext): void {
  program
    .command('setup-native')
    .description('install and test the native TensorFlow libraries')
    .option('--cuda', 'with the CUDA libraries, for NVIDIA GPUs')
    .option('--check', 'only test the existing installation')
    .addHelpText('after', HELP)
    .action(act(context, setup));
}

async function setup({ out, err, fail }: CliContext, { json, cuda = false, check = false }: Options): Promise<void> {
  const { setupNative } = await import('../engine/native/setupNative.ts');
  const progress = progressOf(err, json, QUIET_MS);
  const signals = new StopSignals();
  const stop = new AbortController();
  void signals.first.then((signal) => {
    progress.show(`${signal}, stopping the running programs; repeat to exit immediately.`, false);
    stop.abort(signal);
  });
  try {
    const report = await setupNative({
      root: installRoot(),
      variant: cuda ? 'cuda' : 'cpu',
      check,
      progress: (text, isPassing) => progress.show(text, isPassing),
      environment: processEnvironment(),
      signal: stop.signal,
    });
    progress.end();
    if (report.probe?.works !== true || !report.isInUse) fail();
    out(json ? jsonLine(report) : reportText(report, check));
  } catch (error) {
    progress.end();
    if (!stop.signal.aborted) throw error;
    err('tickmark: stopped. Finished parts are kept: run it again to continue.\n');
    fail(STOP_CODES[stop.signal.reason as keyof typeof STOP_CODES]);
  } finally {
    signals.close();
  }
}

function reportText(report: SetupReport, isCheck: boolean): string {
  const { requirements, steps, probe, isInUse, diskBytes, downloadBytes, folder, variant } = report;
  const lines = [
    ...requirements.map(({ name, detail, remedy }) =>
      row(name, detail + (remedy === undefined ? '' : `\n${' '.repeat(WIDTH)}What to do: ${remedy}`)),
    ),
    ...steps.map(({ name, state, seconds }) => row(name, state === 'made' ? `made in ${seconds.toFixed(1)} s` : state)),
    row(isCheck ? 'still to download' : 'downloaded', size(downloadBytes)),
    row('on disk', `${size(diskBytes)} in ${folder}`),
    row('proof', proofLine(probe)),
  ];
  const command = `npm run setup:native${variant === 'cuda' ? ' -- --cuda' : ''}`;
  const end =
    isInUse && probe?.works === true
      ? 'tickmark uses it from its next start on (check with tickmark doctor).'
      : `Not in use. Set it up: ${command}`;
  return `${lines.join('\n')}\n\n${end}\n`;
}

const WIDTH = 34;
const row = (name: string, text: string): string => `${name.padEnd(WIDTH)}${text}`;
const size = (bytes: number): string => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`);

function proofLine(probe: SetupReport['probe']): string {
  if (probe === undefined) return 'not tried: something is missing';
  if (!probe.works) return `failed: ${probe.reason}`;
  return `${probe.description}; answers like the plain loop, one LSTM forward in ${probe.forwardMs.toFixed(2)} ms`;
}
