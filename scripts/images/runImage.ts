import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { buildah, run } from './buildah.ts';

/** What the image adds to its base, in MB of 10^6 bytes on the disk, as `du` counts. */
type Sizes = { readonly tensorflow: number; readonly modules: number; readonly own: number; readonly all: number };

/** Of the image. */
type Config = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
};
type Answer = { readonly status: number; readonly text: string };

const START_MS = 300_000;
const MB = 1e6;
/** Forecasts in flight when the service is told to stop. */
const IN_FLIGHT = 20;

/** Mounts what a container has, then becomes the program: with it as process 1, as the user of the image, on a root that cannot be written. */
const CONTAIN = `
set -eu; root=$1; data=$2; user=$3; shift 3
mount --make-rprivate /; mount --bind "$root" "$root"
mount --bind "$data" "$root/data"; mount -t tmpfs tmpfs "$root/tmp"; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" /usr/bin/env --ignore-environment --chdir=/app "$@"`;

function start(root: string, data: string, { User, Env }: Config, command: readonly string[]): ChildProcess {
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', CONTAIN, 'sh', root, data, User, ...Env, ...command];
  return spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The process 1 of the container: the only child of unshare. */
const firstProcess = ({ pid }: ChildProcess): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));

const sizeOf = (root: string, ...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + Number(run('du', '--summarize', '--block-size=1', path.join(root, name)).split('\t')[0]), 0) / MB;

const measure = (root: string): Sizes => ({
  tensorflow: sizeOf(root, 'app/.native'),
  modules: sizeOf(root, 'app/node_modules'),
  own: sizeOf(root, 'app/bin', 'app/dist', 'app/models', 'app/rules', 'app/package.json', 'app/LICENSE'),
  all: sizeOf(root, 'app'),
});

/** Over connections that stay open, as those of a client. Rejects if one is reset. `onSent`: the system has all bytes of the request. */
function ask(agent: Agent, url: string, body?: string, headers: Record<string, string> = {}, onSent?: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const given = { agent, method: body === undefined ? 'GET' : 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
    const sent = request(url, given, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
    });
    sent.on('error', reject).end(body, onSent);
  });
}

function require(isTrue: boolean, what: string, seen: unknown): void {
  if (!isTrue) throw new Error(`${what}; seen: ${JSON.stringify(seen)}`);
}

/** Starts the service, resolves to its URL on this machine and its log. */
async function startService(root: string, data: string, config: Config): Promise<{ child: ChildProcess; url: string; backend: string }> {
  // The libraries of a driver are brought in by the NVIDIA Container Toolkit alone.
  const child = start(root, data, { ...config, Env: [...config.Env, 'PORT=0', 'RUNTIME_BACKEND=auto'] }, [
    ...config.Entrypoint,
    ...config.Cmd,
  ]);
  child.stdout?.resume();
  const lines = createInterface({ input: child.stderr! });
  const said: string[] = [];
  const ready = new Promise<{ url: string; backend: string }>((resolve) =>
    lines.on('line', (line) => {
      said.push(line);
      if (line.includes('"msg":"ready"')) resolve(JSON.parse(line) as { url: string; backend: string });
    }),
  );
  const ended = once(child, 'exit').then(() => undefined);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, START_MS, undefined).unref());
  const found = await Promise.race([ready, ended, late]);
  if (found === undefined) throw new Error(`The service does not get ready:\n${said.slice(-10).join('\n')}`);
  return { child, url: found.url.replace('0.0.0.0', '127.0.0.1'), backend: found.backend };
}

/** Stops the service while forecasts are in flight: each is answered, no connection is reset, and it ends with 0. */
async function stop(child: ChildProcess, url: string, key: string, sample: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const forecast = (onSent?: () => void): Promise<Answer> => ask(agent, `${url}/auth/ti-tick`, sample, { 'Api-Key': key }, onSent);
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => forecast()));
  const inFlight: Promise<Answer>[] = [];
  // What is still in this process when the service stops meets a closed connection.
  const send = (): Promise<void> =>
    new Promise((sent, failed) => {
      const made = forecast(sent);
      made.catch(failed);
      inFlight.push(made);
    });
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  const ended = once(child, 'exit');
  process.kill(firstProcess(child), 'SIGTERM');
  const answers = await Promise.all(inFlight);
  require(answers.every(({ status }) => status === 200), 'Each forecast in flight is answered', answers.map(({ status }) => status)); // prettier-ignore
  const [code] = (await ended) as [number | null];
  agent.destroy();
  require(code === 0, 'The service ends with exit code 0', code);
}

/** Runs the image as docs/how-to/docker.md does: read-only, with a volume. Signs up, forecasts, stops, starts again. Throws for what is not as promised. */
export async function runImage(id: string): Promise<Sizes & { readonly backend: string }> {
  const volume = mkdtempSync(path.join(tmpdir(), 'tickmark-volume-'));
  const container = buildah('from', id);
  let child: ChildProcess | undefined;
  try {
    const root = buildah('mount', container);
    const left = ['src', 'test', 'node_modules/typescript', 'node_modules/mocha'].filter((name) =>
      existsSync(path.join(root, 'app', name)),
    );
    require(left.length === 0 &&
      existsSync(path.join(root, 'app/dist/training/train.js')), 'The image has what an installed package has', left);
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', id)) as { Docker: { config: Config } };
    const { config } = Docker;
    const [user = '', group = ''] = config.User.split(':');
    const data = path.join(volume, 'data');
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, Number(user), Number(group));
    const first = await startService(root, data, config);
    child = first.child;
    const agent = new Agent({ keepAlive: true });
    const account = JSON.stringify({ email: 'image@example.com', password: 'passw0rd1', confirm_password: 'passw0rd1' });
    const signed = await ask(agent, `${first.url}/signup`, account);
    require(signed.status === 201, 'Someone signs up', signed);
    const key = (JSON.parse(signed.text) as { api_key: string }).api_key;
    const { text: sample } = await ask(agent, `${first.url}/sample`);
    const forecast = await ask(agent, `${first.url}/auth/ti-tick`, sample, { 'Api-Key': key });
    require(forecast.status === 200 && forecast.text.includes('trend_identified'), 'A forecast is answered', forecast);
    const status = readFileSync(`/proc/${firstProcess(child)}/status`, 'utf8');
    require(new RegExp(`^Uid:\\s+${user}\\s`, 'm').test(status) && /^NSpid:\s+\d+\s+1$/m.test(status), 'It is process 1 of the user of the image', status); // prettier-ignore
    const health = start(
      root,
      data,
      { ...config, Env: [...config.Env, `PORT=${new URL(first.url).port}`] },
      config.Healthcheck.Test.slice(1),
    );
    require(((await once(health, 'exit')) as [number])[0] === 0, 'The health check passes', config.Healthcheck.Test);
    agent.destroy();
    await stop(child, first.url, key, sample);
    const second = await startService(root, data, config);
    child = second.child;
    await stop(child, second.url, key, sample);
    child = undefined;
    return { ...measure(root), backend: first.backend };
  } finally {
    child?.kill('SIGKILL');
    buildah('rm', container);
    rmSync(volume, { recursive: true, force: true });
  }
}
