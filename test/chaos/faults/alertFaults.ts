import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatTimestamp, parseTimestampUs } from '../../../src/ticks/timestamps.ts';
import { sleep, within, type Fault, type World } from '../Fault.ts';
import { CLEAN_ADDRESS } from '../Callers.ts';
import { send } from '../send.ts';

/** Just within WEBHOOK_TIMEOUT_MS. */
const SLOW_MS = 9000;
const SLOW_ACCOUNTS = 8;
const TARGETS = 5;
const MARKS = 4;
/** An alert of another account, which is looked for once a second. */
const ALERT_MS = 5000;
/** Other faults end within this time. */
const REFUSED_MS = 30_000;
const PASSWORD = 'correct horse 42';
/** No name has an answer from the name server of the run. */
const SLOW_DOMAIN = 'slow.example';

type Owner = { readonly key: string; readonly login: Readonly<Record<string, string>> };

/** Accounts and targets that end with the fault. */
class Alerts {
  readonly #world: World;
  readonly #servers: http.Server[] = [];
  readonly #owners: Owner[] = [];
  readonly #close = (): void => {
    for (const server of this.#servers) server.close().closeAllConnections();
    this.#world.cleanUps.delete(this.#close);
  };

  constructor(world: World) {
    this.#world = world;
    world.cleanUps.add(this.#close);
  }

  /** While another fault refuses a request for a while, it is sent again when the service says. */
  async #ask(method: string, path: string, headers: Readonly<Record<string, string>>, body?: object | string): Promise<string> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    for (const untilMs = performance.now() + REFUSED_MS; ;) {
      const ended = await send(this.#world.service.port, {
        method,
        path,
        headers: { ...headers, ...(text !== undefined && { 'Content-Type': 'application/json' }) },
        ...(text !== undefined && { body: text }),
        // New keys from an address that sends bad ones are refused, as they should be.
        localAddress: CLEAN_ADDRESS,
      });
      const answer = 'answer' in ended ? ended.answer : undefined;
      if (answer !== undefined && answer.status < 300) return answer.text;
      const waitMs = 1000 * Number(answer?.headers['retry-after'] ?? NaN);
      if (!(performance.now() + waitMs < untilMs)) throw new Error(`${method} ${path}: ${JSON.stringify(ended).slice(0, 300)}`);
      await sleep(waitMs);
    }
  }

  async signUp(): Promise<Owner> {
    const email = `alerts${randomBytes(6).toString('hex')}@example.com`;
    const { api_key: key } = JSON.parse(
      await this.#ask('POST', '/signup', {}, { email, password: PASSWORD, confirm_password: PASSWORD }),
    ) as { api_key: string };
    const owner = { key, login: { Authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}` } };
    this.#owners.push(owner);
    return owner;
  }

  /** The port of a target that answers after `ms`. */
  async listen(ms: number, onAlert: () => void): Promise<number> {
    const server = http.createServer((request, response) => {
      request.resume();
      onAlert();
      setTimeout(() => response.end(), ms);
    });
    this.#servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  addTarget({ login }: Owner, url: string): Promise<string> {
    return this.#ask('POST', '/account/webhooks', login, { url, events: ['forecast.marked'] });
  }

  /** A forecast of now that is marked, since the threshold is tiny. */
  async mark({ key }: Owner, series: string): Promise<void> {
    const { Timestamp, Price } = JSON.parse(await this.#ask('GET', '/sample', {})) as { Timestamp: string[]; Price: number[] };
    const shiftUs = 1000 * Date.now() - parseTimestampUs(Timestamp.at(-2)!);
    const body = { Timestamp: Timestamp.map((text) => formatTimestamp(parseTimestampUs(text) + shiftUs)), Price };
    await this.#ask('POST', `/auth/ti-tick?series=${series}&min_move_bps=0.01`, { 'Api-Key': key }, body);
  }

  /** Ends targets and accounts, with the alerts that wait. */
  async end(): Promise<void> {
    this.#close();
    for (const { login } of this.#owners) await this.#ask('DELETE', '/account', login);
  }
}

/** Accounts with slow targets, and one with a quick one, whose alert must not wait for theirs. */
async function delayOthers(world: World, accounts: number, urlOf: (port: number, target: number) => string): Promise<string> {
  const alerts = new Alerts(world);
  let [slow, quick] = [0, 0];
  const slowPort = await alerts.listen(SLOW_MS, () => slow++);
  const quickPort = await alerts.listen(0, () => quick++);
  const other = await alerts.signUp();
  await alerts.addTarget(other, `http://127.0.0.1:${quickPort}/`);
  for (let i = 0; i < accounts; i++) {
    const owner = await alerts.signUp();
    for (let target = 0; target < TARGETS; target++) await alerts.addTarget(owner, urlOf(slowPort, target));
    for (let mark = 0; mark < MARKS; mark++) await alerts.mark(owner, `s${mark}`);
  }
  // They have been taken by now, and wait.
  await sleep(2000);
  const fromMs = performance.now();
  await alerts.mark(other, 'other');
  const isSent = await within(ALERT_MS, () => quick > 0, world.allowances);
  const tookMs = (performance.now() - fromMs).toFixed(0);
  world.ledger.check('alerts', isSent ? undefined : `the alert of another account was not sent within ${tookMs} ms`);
  await alerts.end();
  return `${accounts} accounts of ${TARGETS} targets, ${slow} calls of them; the alert of another account after ${tookMs} ms`;
}

const slowTargets: Fault = {
  name: 'slow-targets',
  run: (world) => delayOthers(world, SLOW_ACCOUNTS, (port, target) => `http://127.0.0.1:${port}/${target}`),
};

const slowNames: Fault = {
  name: 'slow-names',
  run: (world) => delayOthers(world, 1, (port, target) => `http://${randomBytes(4).toString('hex')}.${SLOW_DOMAIN}:${port}/${target}`),
};

export const ALERT_FAULTS: readonly Fault[] = [slowTargets, slowNames];
