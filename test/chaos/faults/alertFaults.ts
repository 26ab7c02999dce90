import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatTimestamp, parseTimestampUs } from '../../../src/ticks/timestamps.ts';
import { sleep, within, type Fault, type World } from '../Fault.ts';
import { CLEAN_ADDRESS } from '../Callers.ts';
import { demand, keyIn, loginOf, post, signUpOf, type Request } from '../send.ts';

/** Just within WEBHOOK_TIMEOUT_MS. */
const SLOW_MS = 9000;
const SLOW_ACCOUNTS = 8;
const TARGETS = 5;
const MARKS = 4;
/** An alert of another account, which is looked for once a second. */
const ALERT_MS = 5000;
/** Other faults end within this time. */
const REFUSED_MS = 30_000;
/** No name has an answer from the name server of the run. */
const SLOW_DOMAIN = 'slow.example';

type Owner = { readonly key: string; readonly login: Readonly<Record<string, string>> };

/** While another fault refuses a request for a while, it is sent again. New keys from an address that sends bad ones are refused. */
const ask = ({ service }: World, { headers, ...request }: Request, more: Readonly<Record<string, string>> = {}): Promise<string> =>
  demand(service.port, { ...request, headers: { ...headers, ...more }, localAddress: CLEAN_ADDRESS }, performance.now() + REFUSED_MS);

async function signUp(world: World): Promise<Owner> {
  const email = `alerts${randomBytes(6).toString('hex')}@example.com`;
  return { key: keyIn(await ask(world, signUpOf(email))), login: { Authorization: loginOf(email) } };
}

/** A target that answers after `ms`. */
async function listen(ms: number, onAlert: () => void): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = http.createServer((request, response) => {
    request.resume();
    onAlert();
    setTimeout(() => response.end(), ms);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close().closeAllConnections() };
}

const addTarget = (world: World, { login }: Owner, url: string): Promise<string> =>
  ask(world, post('/account/webhooks', { url, events: ['forecast.marked'] }), login);

/** A forecast of now that is marked, since the threshold is tiny. */
async function mark(world: World, { key }: Owner, series: string): Promise<void> {
  const sample = await ask(world, { method: 'GET', path: '/sample' });
  const { Timestamp, Price } = JSON.parse(sample) as { Timestamp: string[]; Price: number[] };
  const shiftUs = 1000 * Date.now() - parseTimestampUs(Timestamp.at(-2)!);
  const body = { Timestamp: Timestamp.map((text) => formatTimestamp(parseTimestampUs(text) + shiftUs)), Price };
  await ask(world, post(`/auth/ti-tick?series=${series}&min_move_bps=0.01`, body, key));
}

/** Accounts with slow targets, and one with a quick one, whose alert must not wait for theirs. */
async function delayOthers(world: World, accounts: number, urlOf: (port: number, target: number) => string): Promise<string> {
  let [slow, quick] = [0, 0];
  const slowTarget = await listen(SLOW_MS, () => slow++);
  const quickTarget = await listen(0, () => quick++);
  const other = await signUp(world);
  await addTarget(world, other, `http://127.0.0.1:${quickTarget.port}/`);
  const owners = [other];
  for (let i = 0; i < accounts; i++) {
    const owner = await signUp(world);
    owners.push(owner);
    for (let target = 0; target < TARGETS; target++) await addTarget(world, owner, urlOf(slowTarget.port, target));
    for (let i = 0; i < MARKS; i++) await mark(world, owner, `s${i}`);
  }
  // They have been taken by now, and wait.
  await sleep(2000);
  const fromMs = performance.now();
  await mark(world, other, 'other');
  const isSent = await within(ALERT_MS, () => quick > 0, world.allowances);
  const tookMs = (performance.now() - fromMs).toFixed(0);
  world.ledger.check('alerts', isSent ? undefined : `the alert of another account was not sent within ${tookMs} ms`);
  slowTarget.close();
  quickTarget.close();
  // With the alerts that wait.
  for (const { login } of owners) await ask(world, { method: 'DELETE', path: '/account' }, login);
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
