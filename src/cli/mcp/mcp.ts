import type { Command } from 'commander';
import type { OpenForecaster } from '../../app/openForecaster.ts';
import { readSettings } from '../../config/settings.ts';
import { StopSignals } from '../processEvents.ts';
import { version } from '../CliContext.ts';

const HELP = `
Tools: forecast, explain, sample. An MCP client starts this command and uses standard input and output. Configuration of the client:
  {"mcpServers": {"tickmark": {"command": "npx", "args": ["tickmark", "mcp"]}}}

Examples:
  $ tickmark mcp
  $ MODELS_DIR=/srv/tickmark/models tickmark mcp     with your own versions

Needs no running service and no key: the model runs in this process. More: docs/how-to/mcp.md.`;

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('run a Model Context Protocol (MCP) server on standard input and output')
    .addHelpText('after', HELP)
    .action(serveMcp);
}

/** Until standard input ends or a signal comes. Standard output belongs to the protocol. */
async function serveMcp(): Promise<void> {
  const settings = readSettings();
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createMcpServer } = await import('./createMcpServer.ts');
  let opening: Promise<OpenForecaster> | undefined;
  const open = async (): Promise<OpenForecaster> => {
    const { openForecaster } = await import('../../app/openForecaster.ts');
    return openForecaster(settings, { batches: [1] });
  };
  /** Opened at the first forecast: clients start their servers at their own start and may never use them. A failure is not cached. */
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
