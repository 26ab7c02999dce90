import * as net from 'node:net';
import { compileBodyChecks, type BodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { systemClock, type Clock } from '../../src/core/Clock.ts';
import { createAccessLog } from '../../src/core/observability/createAccessLog.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import { HttpServer } from '../../src/service/http/HttpServer.ts';
import type { HttpOptions, HttpParts, ServiceState } from '../../src/service/http/HttpParts.ts';
import { fakeParts } from './fakeParts.ts';
import { keepLog } from './serviceLogs.ts';

export const OPTIONS: HttpOptions = {
  version: '0.0.0-test',
  host: '127.0.0.1',
  port: 0,
  bodyLimitBytes: 1024 * 1024,
  batchBodyLimitBytes: 8 * 1024 * 1024,
  headerLimitBytes: 8192,
  maxConnections: 1000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 50,
  shutdownGraceMs: 2000,
  // Far above the event-loop delay of a test on a slow machine.
  forecastDeadlineMs: 20_000,
  maxInFlight: 64,
  forecastQueue: 1024,
  trustProxy: false,
  logAddresses: true,
  corsOrigins: [],
  live: { connectionsPerAccount: 16, seriesPerConnection: 64, forecastsPerSeries: 8, pendingOutcomes: 4096, memoryMb: 512 },
  keyCheckMs: 50,
  settingWords: [{ name: 'PORT', default: '8080', values: '0 to 65535', about: 'Port of the service.' }],
};

/** Compiled once for all servers of a test run. */
let checks: BodyChecks | undefined;

export type TestServer = {
  readonly port: number;
  readonly url: string;
  readonly state: ServiceState;
  readonly server: HttpServer;
  /** All log lines, parsed. */
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
};

/** A real server on a free loopback port, over fake parts. */
export async function startTestServer(
  parts: HttpParts | undefined = fakeParts(),
  options: Partial<HttpOptions> = {},
  phase: ServiceState['phase'] = 'ready',
  clock: Clock = systemClock,
): Promise<TestServer> {
  const logged: Record<string, unknown>[] = [];
  const logger = createLogger('debug', { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
  const state: ServiceState = { phase, parts };
  checks ??= compileBodyChecks();
  const deps = { state, checks, clock, logger, accessLog: createAccessLog(logger), onForecast: () => {}, onProblem: () => {} };
  const server = new HttpServer(deps, { ...OPTIONS, ...options });
  const port = await server.listen();
  const url = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  keepLog({
    name: url,
    tail: () =>
      logged
        .slice(-100)
        .map((line) => JSON.stringify(line))
        .join('\n'),
    hasEnded: () => hasEnded,
  });
  const close = (): Promise<void> => {
    hasEnded = true;
    return server.close();
  };
  return { port, url, state, server, logged, close };
}

/** `startTestServer` from before the first test of the suite that is being defined until after its last one. */
export function suiteServer(...how: Parameters<typeof startTestServer>): TestServer {
  const server = {} as TestServer;
  before(async () => void Object.assign(server, await startTestServer(...how)));
  after(() => server.close());
  return server;
}

/** Sends bytes on a new connection and resolves to everything received until the server closed it. */
export function exchange(port: number, bytes: string | readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1', () => {
      for (const part of typeof bytes === 'string' ? [bytes] : bytes) socket.write(part);
    });
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(received).toString('utf8')));
  });
}

/** Status and JSON body of a raw answer. */
export function parseRaw(text: string): { status: number; head: string; problem: Record<string, unknown> } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, problem: JSON.parse(body) as Record<string, unknown> };
}
