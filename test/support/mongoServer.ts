import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type * as net from 'node:net';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { buildGo, onPath } from './buildGo.ts';
import { freePort } from './freePort.ts';
import { keepOutput } from './serviceLogs.ts';
import { ROOT } from './tickmarkProcess.ts';

/** A server of the MongoDB protocol for tests, over a folder. */
export type MongoServer = {
  readonly uri: string;
  readonly port: number;
  readonly child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
};

type Program = { readonly name: 'mongod' | 'mongotest'; readonly file: string };

const SOURCES = path.join(ROOT, 'test', 'mongo');

/** Builds the small server of test/mongo with Go, once per version of its source. */
const buildServer = (go: string): Promise<string> =>
  buildGo(go, SOURCES, { name: 'mongotest', flags: ['-tags', 'ferretdb_no_postgresql'] });

let program: Promise<Program> | undefined;

/** `mongod` on the PATH, else the server of test/mongo, which is built if Go is on the PATH. Throws with the reason if there is neither. */
export function mongoProgram(): Promise<Program> {
  program ??= (async () => {
    const mongod = onPath('mongod');
    if (mongod !== undefined) return { name: 'mongod', file: mongod };
    const go = onPath('go');
    if (go === undefined) throw new Error('MONGODB_URI is not set, and neither mongod nor go is on the PATH');
    return { name: 'mongotest', file: await buildServer(go) };
  })();
  return program;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server over `folder`, with `port` on the port of an earlier one. It ends at the latest with this process. */
export async function startMongoServer(folder: string, port?: number): Promise<MongoServer> {
  const { name, file } = await mongoProgram();
  const at = port ?? (await freePort());
  mkdirSync(folder, { recursive: true });
  const args =
    name === 'mongod' ? ['--dbpath', folder, '--port', `${at}`, '--bind_ip', '127.0.0.1'] : ['-listen', `127.0.0.1:${at}`, '-data', folder];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  keepOutput(name, child);
  child.once('exit', () => running.delete(child));
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += String(chunk)));
  const ready = name === 'mongod' ? /Waiting for connections/ : /^ready /;
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} exited with code ${code}: ${complaint}`)));
  });
  ended.catch(() => {});
  await Promise.race([
    ended,
    new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (ready.test(line)) resolve();
      });
    }),
  ]);
  // The running server does not keep the test process alive.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as net.Socket).unref();
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  return { uri: `mongodb://127.0.0.1:${at}/`, port: at, child, kill };
}
