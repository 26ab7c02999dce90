import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { createLogger } from '../../core/observability/createLogger.ts';
import { createAccessLog } from '../../core/observability/createAccessLog.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import { HttpServer } from '../http/HttpServer.ts';
import type { HttpDeps, HttpOptions, HttpParts } from '../http/HttpParts.ts';

/** After this many rounds, most of the code of a request is compiled. */
const ROUNDS = 100;

/** Owner of the key of the warm-up. */
const NO_ACCOUNT: Identity = {
  accountId: '',
  email: '',
  companyId: null,
  keyId: '',
  keyPrefix: '',
  keyName: null,
  keyCreatedAtMs: 0,
  keyEndMs: null,
};

/**
 * Answers the sample over HTTP before the first caller asks, because the first runs of JavaScript are slow: on a port and with a key that only
 * this process knows. Nothing is counted, logged or kept. Never throws: without it, the first answers only come later.
 */
export async function warmUp(
  deps: Pick<HttpDeps, 'checks' | 'clock' | 'logger'>,
  options: HttpOptions,
  parts: HttpParts,
  rounds = ROUNDS,
): Promise<void> {
  const key = randomUUID();
  const permit = { headers: {}, giveBack: () => Promise.resolve({}) };
  const limit = { look: () => Promise.resolve({}), take: () => Promise.resolve(permit) };
  const server = new HttpServer(
    {
      ...deps,
      state: {
        phase: 'ready',
        parts: {
          ...parts,
          authenticate: (header) => Promise.resolve(header === key ? NO_ACCOUNT : undefined),
          limits: { forecasts: limit, signUps: limit },
          // Without a deadline, a forecast is no input of the monitors.
          forecast: (ticks, { deadlineMs: _, ...asked }) => parts.forecast(ticks, asked),
        },
      },
      accessLog: createAccessLog(createLogger('info', { write: () => {} })),
      onForecast: () => {},
      onProblem: () => {},
    },
    { ...options, host: '127.0.0.1', port: 0, isPrivate: true, hostNames: undefined, shutdownDelayMs: 0 },
  );
  const agent = new Agent({ keepAlive: true });
  const { sample } = parts;
  // As JavaScript writes it, and as Python writes mids of quotes: with blanks, and with up to 17 digits.
  const bodies = [
    JSON.stringify(sample),
    JSON.stringify({ ...sample, Price: sample.Price.map((price) => price / 3) }).replaceAll(',', ', '),
  ];
  try {
    const port = await server.listen();
    for (let round = 0; round < rounds; round++) {
      const body = bodies[round % bodies.length];
      // Two at once: a single forecast is computed in this process, a concurrent one may take another path.
      await Promise.all([post({ agent, port, key }, body), post({ agent, port, key }, body)]);
    }
  } catch (error) {
    deps.logger.warn('the sample could not be asked for: the first forecasts take longer', { error });
  } finally {
    agent.destroy();
    await server.close();
  }
}

/** Rejects for an answer that is no forecast. */
function post({ agent, port, key }: { readonly agent: Agent; readonly port: number; readonly key: string }, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'Api-Key': key, 'Content-Type': 'application/json' };
    const asked = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/auth/ti-tick', headers }, (answer) => {
      const { statusCode } = answer;
      answer.resume().once('end', () => (statusCode === 200 ? resolve() : reject(new Error(`the warm-up was answered ${statusCode}`))));
    });
    asked.once('error', reject).end(body);
  });
}
