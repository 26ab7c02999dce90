import type { Command } from 'commander';
import { readSettings } from '../config/settings.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';
import { nextSteps } from './nextSteps.ts';
import { StrayErrors } from './StrayErrors.ts';
import { StopSignals } from './StopSignals.ts';
import { version } from './version.ts';

const HELP = `
Examples:
  $ tickmark serve
  $ PORT=9000 DATA_DIR=/srv/tickmark tickmark serve
  $ LOG_LEVEL=silent tickmark serve --json           one line {"url": …} when ready

What to do next is printed on standard output, logs (one JSON line each) on standard error.
Ctrl-C or SIGTERM finishes the requests at hand and ends with exit code 0; a second one ends at once.`;

const REASONS = { SIGINT: 'SIGINT', SIGTERM: 'SIGTERM', fatal: 'something went wrong that nobody foresaw, see the log' } as const;

export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the service')
    .addHelpText('after', HELP)
    .action(async (_options: unknown, command: Command) => serve(context, command.optsWithGlobals<GlobalOptions>()));
}

async function serve({ out, err, fail }: CliContext, { json }: GlobalOptions): Promise<void> {
  const settings = readSettings();
  const signals = new StopSignals();
  try {
    // Imported late, so that --help does not load the network.
    const { startService } = await import('../app/startService.ts');
    const service = await startService(settings);
    out(json ? jsonLine({ url: service.url, port: service.port, version: version() }) : nextSteps(service.url, version()));
    const strays = new StrayErrors((message, error) => service.report(message, error));
    const reason = await Promise.race([signals.first, strays.fatal]);
    if (reason === 'fatal') fail();
    if (!json) err(`tickmark: ${REASONS[reason]}, finishing the requests at hand; once more ends at once.\n`);
    await service.close();
    strays.close();
  } finally {
    signals.close();
  }
}
