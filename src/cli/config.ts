import * as path from 'node:path';
import type { Command } from 'commander';
import { effectiveSettings } from '../core/config/effectiveSettings.ts';
import { processEnvironment } from '../core/config/processEnvironment.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';

const HELP = `
Examples:
  $ tickmark config                                   every setting, its value, and default, environment or file
  $ WORKERS=2 tickmark config --json                  the same as one JSON value

Prints one setting per line: source, name and value. Secrets are masked. A wrong setting is refused as by tickmark serve.`;

export function addConfig(program: Command, { out }: CliContext): void {
  program
    .command('config')
    .description('print the effective settings and where they come from')
    .addHelpText('after', HELP)
    .action((_options: unknown, command: Command) => {
      const settings = effectiveSettings(processEnvironment());
      if (command.optsWithGlobals<GlobalOptions>().json === true) return out(jsonLine({ workingDirectory: path.resolve(), settings }));
      out(settings.map(({ name, value, source }) => `${source.padEnd(11)} ${name}=${value}\n`).join(''));
    });
}
