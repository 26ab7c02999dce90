import type { Command } from 'commander';
import { readSettings, tensorflowEnvironment } from '../../core/config/settings.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { checkDataFolder, checkMachine, checkPort, type Check } from './checkMachine.ts';
import { checkBackends, checkGpu, checkModels, checkRules } from './checkRuntime.ts';
import { doctorFile, type DoctorFileFlags } from '../files/doctorFile.ts';
import { addFileOptions } from '../files/importFile.ts';

const HELP = `
Examples:
  $ tickmark doctor
  $ PORT=9000 tickmark doctor --json

  $ tickmark doctor ticks.csv                     order, duplicates, gaps, spikes, time zone and density of a file, and what to do
  $ tickmark doctor ticks.csv --fix clean.csv     writes a clean copy and lists the changes

Without FILE: exit code 0 when the service can run with these settings, else 1; nothing is created or changed.
With FILE: exit code 0 when its ticks can be used, as they are or in the clean copy, else 1.`;

export function addDoctor(program: Command, context: CliContext): void {
  addFileOptions(
    program
      .command('doctor')
      .argument('[file]', 'check this tick file instead of the machine')
      .description('check this machine or a tick file, and say how to fix what is wrong')
      .option(
        '--fix [file]',
        'write a clean copy (default: FILE.clean.csv): sorted, without unreadable, empty and duplicate rows, spikes and crossed quotes',
      )
      .option('--force', 'replace the file of --fix if it exists'),
  )
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<GlobalOptions & DoctorFileFlags>();
      if (file === undefined && flags.fix !== undefined) command.error('error: --fix needs a FILE: tickmark doctor FILE --fix');
      await (file === undefined ? doctor(context, flags) : doctorFile(context, file, flags));
    });
}

const TONES = { works: 'good', absent: 'faint', warns: 'warn', fails: 'bad' } as const;

async function doctor({ out, fail, paint }: CliContext, { json }: GlobalOptions): Promise<void> {
  const settings = readSettings();
  const checks: Check[] = [
    ...checkMachine(),
    checkDataFolder(settings.dataDir),
    checkModels(settings),
    await checkRules(settings),
    await checkGpu(),
    ...(await checkBackends(settings.runtimeBackend, tensorflowEnvironment())),
    await checkPort(settings.host, settings.port),
  ];
  const canRun = checks.every(({ verdict }) => verdict !== 'fails');
  if (!canRun) fail();
  if (json) return out(jsonLine({ canRun, checks }));
  const lines = checks.map(({ name, verdict, detail, remedy }) => {
    const todo = remedy === undefined ? '' : `\n${' '.repeat(20)}What to do: ${remedy}`;
    return `${paint.out(TONES[verdict], verdict.padEnd(6))} ${name.padEnd(12)} ${detail}${todo}`;
  });
  const url = checks.find((check) => check.url !== undefined)?.url;
  const can = url === undefined ? 'The service can run: tickmark serve' : `The service runs already on ${url}`;
  out(`${lines.join('\n')}\n\n${canRun ? can : 'The service cannot run until what fails is fixed.'}\n`);
}
