import type { Command } from 'commander';
import type { openLocalForecaster } from '../../service/app/openLocalForecaster.ts';
import { processEnvironment } from '../../core/config/processEnvironment.ts';
import { readSettings } from '../../core/config/settings.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { StopSignals } from '../processEvents.ts';
import { packageVersion } from '../../core/packageRoot.ts';

const HELP = `
Tools: forecast, explain, sample, live, track_record. An MCP client starts this command and uses standard input and output. Configuration of the client:
  {"mcpServers": {"tickmark": {"command": "npx", "args": ["tickmark", "mcp"]}}}

Examples:
  $ tickmark mcp
  $ MODELS_DIR=/srv/tickmark/models tickmark mcp     with your own versions
  $ TICKMARK_KEY=… tickmark mcp --url http://127.0.0.1:8080     with the track record of a service

Only track_record needs a running service and a key: the model runs in this process. More: docs/how-to/mcp.md.`;

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('run a Model Context Protocol (MCP) server on standard input and output')
    .option('--url <url>', 'service whose track record the tool track_record reads, with the key in the environment variable TICKMARK_KEY')
    .addHelpText('after', HELP)
    .action(async (flags: { url?: string }) => serveMcp(flags));
}

/** Until standard input ends or a signal comes. Standard output belongs to the protocol. */
async function serveMcp({ url }: { url?: string }): Promise<void> {
  const settings = readSettings();
  const key = processEnvironment()['TICKMARK_KEY'] ?? '';
  if (url !== undefined && key === '')
    throw new ServiceError('command.invalid', '--url needs an API key in the environment variable TICKMARK_KEY.');
  const record = url === undefined ? undefined : { url, key };
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createMcpServer } = await import('./createMcpServer.ts');
  let opening: ReturnType<typeof openLocalForecaster> | undefined;
  /** Opened at the first forecast: clients start their servers at their own start and may never use them. A failure is not cached. */
  const open = async (): ReturnType<typeof openLocalForecaster> => {
    opening ??= import('../../service/app/openLocalForecaster.ts').then(({ openLocalForecaster }) => openLocalForecaster(settings));
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const signals = new StopSignals();
  const ended = new Promise<void>((resolve) => void process.stdin.once('end', resolve).once('close', resolve));
  const served = serveStdio(() => createMcpServer({ version: packageVersion(), open, record }));
  try {
    await Promise.race([ended, signals.first]);
  } finally {
    await served.close();
    await (await opening?.catch(() => undefined))?.close();
    signals.close();
  }
}
