import cluster from 'node:cluster';
import type { Command } from 'commander';
import type { Channel } from '../../service/app/cluster/WorkerLink.ts';
import type { RunningService } from '../../service/app/startService.ts';
import { inferenceSocket, readSettings, type Settings } from '../../core/config/settings.ts';
import { endWithParent } from '../../core/childProcess.ts';
import { buildCommit, packageVersion, programVersion } from '../../core/packageRoot.ts';
import { act, jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import type { LocalLink } from './localLink.ts';
import { nextSteps } from './nextSteps.ts';
import { handleUnhandled, STOP_CODES, StopSignals } from '../processEvents.ts';

const HELP = `
Examples:
  $ tickmark serve
  $ PORT=9000 DATA_DIR=/srv/tickmark tickmark serve
  $ WORKERS=4 tickmark serve                         four processes behind one port
  $ LOG_LEVEL=silent tickmark serve --json           one line {"url": …} when ready

Prints the next steps to standard output and logs to standard error: plain text on a terminal, else one JSON value per line (LOG_FORMAT).
On a terminal with a loopback HOST, it also prints a link that opens the console with a key already set; LOCAL_KEY=off turns this off.
Ctrl-C, SIGTERM or SIGHUP finishes the requests in flight and exits with code 0; a second one exits immediately.`;

/** Added to the time limit for requests in flight. */
const END_MARGIN_MS = 5000;

const REASONS = { SIGHUP: 'SIGHUP', SIGINT: 'SIGINT', SIGTERM: 'SIGTERM', fatal: 'unexpected error, see the log' } as const;

export function addServe(program: Command, context: CliContext): void {
  program.command('serve').description('run the service').addHelpText('after', HELP).action(act(context, serve));
}

async function serve(context: CliContext, options: GlobalOptions): Promise<void> {
  const settings = readSettings(undefined, { forService: true });
  if (cluster.isWorker) return serveAsWorker(settings, context);
  const signals = new StopSignals();
  try {
    const { countWorkers, readHostResources } = await import('../../service/app/topology.ts');
    const workers = countWorkers(settings, readHostResources());
    if (workers === 1) await serveAlone(settings, context, options, signals);
    else await serveByWorkers(settings, workers, context, options, signals);
  } finally {
    signals.close();
  }
}

async function serveAlone(settings: Settings, context: CliContext, options: GlobalOptions, signals: StopSignals): Promise<void> {
  // Imported late, so that --help does not load the network.
  const { startService } = await import('../../service/app/startService.ts');
  await serveUntil(startService(settings), settings, context, options, signals.first);
}

async function serveByWorkers(
  settings: Settings,
  workers: number,
  context: CliContext,
  options: GlobalOptions,
  signals: StopSignals,
): Promise<void> {
  const { startFleet } = await import('../../service/app/cluster/startFleet.ts');
  const { WorkerFailed } = await import('../../service/app/cluster/Fleet.ts');
  try {
    await serveUntil(startFleet(settings, workers), settings, context, options, signals.first);
  } catch (error) {
    // The worker has already reported the reason.
    if (!(error instanceof WorkerFailed)) throw error;
    context.fail(error.code);
  }
}

/**
 * Prints the address of the service and stops it at the first signal or after an uncaught exception. A signal during the
 * start ends the process at once, with its children: there are no requests to finish.
 */
async function serveUntil(
  starting: Promise<RunningService>,
  settings: Settings,
  context: CliContext,
  { json }: GlobalOptions,
  signalled: StopSignals['first'],
): Promise<void> {
  const { announce, fail } = context;
  const tell = await tellerOf(settings, context);
  const service = await Promise.race([starting, signalled]);
  if (typeof service === 'string') {
    starting.catch(() => {});
    if (!json) tell(`${service} during the start, stopped.`);
    return;
  }
  const link = json ? undefined : await localLink(settings, service.url, context);
  announce(
    json || settings.logFormat === 'json'
      ? jsonLine({ url: service.url, port: service.port, version: packageVersion(), commit: buildCommit() })
      : nextSteps(service.url, programVersion(), { link: link?.url, isSignUpOpen: settings.signup === 'open' }),
  );
  const unhandled = handleUnhandled((message, error) => service.report(message, error));
  const reason = await Promise.race([signalled, unhandled.fatal]);
  if (reason === 'fatal') fail();
  if (!json) tell(`${REASONS[reason]}, finishing the requests in flight; repeat to exit immediately.`);
  await link?.revoke().catch(() => {});
  await service.close();
  unhandled.close();
}

/** Says what happens to the process, on standard error: as a line of the log where the log is JSON. */
async function tellerOf({ logFormat, logLevel }: Settings, { err }: CliContext): Promise<(text: string) => void> {
  const isJson = logFormat === 'json' || (logFormat === 'auto' && process.stderr.isTTY !== true);
  if (isJson) {
    const { createLogger } = await import('../../core/observability/createLogger.ts');
    const logger = createLogger(logLevel);
    return (text) => logger.info(text);
  }
  return (text) => err(`tickmark: ${text}\n`);
}

/** If the link cannot be created, reports why; the service continues without it. */
async function localLink(settings: Settings, url: string, { err, isTerminal }: CliContext): Promise<LocalLink | undefined> {
  // The account store is not loaded if no link will be printed.
  if (!isTerminal || settings.localKey === 'off') return undefined;
  try {
    const { openLocalLink } = await import('./localLink.ts');
    return await openLocalLink(settings, url, isTerminal);
  } catch (error) {
    err(`tickmark: cannot create the link with a key: ${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

/** The primary process tells the worker when to stop. A terminal signals both processes: the worker ignores it, the primary counts it. */
async function serveAsWorker(settings: Settings, { fail }: CliContext): Promise<void> {
  for (const signal of Object.keys(STOP_CODES)) process.on(signal, () => {});
  const { WorkerLink } = await import('../../service/app/cluster/WorkerLink.ts');
  const { startService } = await import('../../service/app/startService.ts');
  const link = new WorkerLink(process as unknown as Channel);
  // Ends the worker if the primary was killed.
  await endWithParent(settings.shutdownDelayMs + settings.shutdownGraceMs + END_MARGIN_MS);
  const service = await Promise.race([startService(settings, { link, inferenceSocket: inferenceSocket() }), link.stopped]);
  if (service === undefined) return;
  const unhandled = handleUnhandled((message, error) => service.report(message, error));
  if ((await Promise.race([link.stopped, unhandled.fatal])) === 'fatal') fail();
  await service.close();
  unhandled.close();
}
