import type { Command } from 'commander';
import { readSettings, tensorflowEnvironment } from '../config/settings.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { checkDataFolder, checkMachine, checkPort } from './checkMachine.ts';
import { checkBackends } from './checkBackends.ts';
import { checkGpu } from './checkGpu.ts';
import { checkModels, checkRules } from './checkModels.ts';
import type { Check } from './Check.ts';

const HELP = `
Examples:
  $ tickmark doctor
  $ PORT=9000 tickmark doctor --json

Exit code 0 when the service can run with these settings, else 1. Nothing is created or changed.`;

export function addDoctor(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('say what works on this machine, and what to do about the rest')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => doctor(context, command.optsWithGlobals<GlobalOptions>()));
}

async function doctor({ out, fail }: CliContext, { json }: GlobalOptions): Promise<void> {
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
    return `${verdict.padEnd(6)} ${name.padEnd(12)} ${detail}${todo}`;
  });
  out(`${lines.join('\n')}\n\n${canRun ? 'The service can run: tickmark serve' : 'The service cannot run until what fails is mended.'}\n`);
}
