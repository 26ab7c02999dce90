import type { Command } from 'commander';
import type { OpenForecaster } from '../app/openForecaster.ts';
import { readSettings } from '../config/settings.ts';
import { StopSignals } from './StopSignals.ts';
import { version } from './version.ts';

const HELP = `
Tools: forecast, explain, sample. A client of the Model Context Protocol starts it and speaks on standard input and output; its configuration:
  {"mcpServers": {"tickmark": {"command": "npx", "args": ["tickmark", "mcp"]}}}

Examples:
  $ tickmark mcp
  $ MODELS_DIR=/srv/tickmark/models tickmark mcp     with versions of your own

No service and no key are needed: the model answers in this process. docs/mcp.md says more.`;

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('answer language models by the Model Context Protocol, on standard input and output')
    .addHelpText('after', HELP)
    .action(serveMcp);
}

/** Until standard input ends or a signal comes. Standard output belongs to the protocol. */
async function serveMcp(): Promise<void> {
  const settings = readSettings();
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createMcpServer } = await import('./mcp/createMcpServer.ts');
  let opening: Promise<OpenForecaster> | undefined;
  const open = async (): Promise<OpenForecaster> => {
    const { openForecaster } = await import('../app/openForecaster.ts');
    return openForecaster(settings, { batches: [1] });
  };
  /** At the first forecast: clients start their servers with themselves, and may never ask. A failure is not kept. */
  const forecaster = async (): Promise<OpenForecaster['forecaster']> => {
    opening ??= open();
    try {
      return (await opening).forecaster;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const signals = new StopSignals();
  const ended = new Promise<void>((resolve) => void process.stdin.once('end', resolve).once('close', resolve));
  const served = serveStdio(() => createMcpServer({ version: version(), forecaster }));
  try {
    await Promise.race([ended, signals.first]);
  } finally {
    await served.close();
    await (await opening?.catch(() => undefined))?.close();
    signals.close();
  }
}
