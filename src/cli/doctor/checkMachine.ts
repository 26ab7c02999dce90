import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, freemem, platform, totalmem } from 'node:os';
import * as path from 'node:path';
import { ApiError, TickmarkClient } from '../../../clients/typescript/src/index.ts';
import { availableProcessors } from '../../core/availableProcessors.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { GOOD_OPEN_FILES, openFilesLimit, RAISE_OPEN_FILES } from '../../core/openFiles.ts';
import { remedyOf } from '../explainFailure.ts';

/** One finding of `doctor`. `fails`: the service cannot run. `absent`: the service does not need it. */
export type Check = {
  readonly name: string;
  readonly verdict: 'works' | 'absent' | 'warns' | 'fails';
  readonly detail: string;
  readonly remedy?: string;
  /** Address of a tickmark service that is already running. */
  readonly url?: string;
};

/** Turns a thrown error into a check. */
export function failedCheck(name: string, error: unknown, verdict: 'fails' | 'warns' = 'fails'): Check {
  if (error instanceof ServiceError) return { name, verdict, detail: error.message, remedy: remedyOf(error) };
  return { name, verdict, detail: error instanceof Error ? error.message : String(error) };
}

const MIB = 1024 * 1024;
/** Resident memory of the service with one model, with room for a burst. */
const NEEDED_MEMORY_MIB = 300;
const NEEDED_DISK_MIB = 50;
/** A service on this machine answers within milliseconds. */
const READY_MS = 2000;

/** Node.js, platform, processors, memory and open files. */
export function checkMachine(): Check[] {
  const freeMib = Math.round(freemem() / MIB);
  const memory = `${freeMib} MiB free of ${Math.round(totalmem() / MIB)} MiB`;
  return [
    { name: 'node', verdict: 'works', detail: `${process.versions.node} on ${platform()} ${arch()}, ${availableProcessors()} processors` },
    freeMib >= NEEDED_MEMORY_MIB
      ? { name: 'memory', verdict: 'works', detail: memory }
      : { name: 'memory', verdict: 'warns', detail: memory, remedy: `Have ${NEEDED_MEMORY_MIB} MiB free.` },
    ...checkOpenFiles(openFilesLimit()),
  ];
}

/** Nothing where the system does not tell. Fewer than MIN_OPEN_FILES ended the program before. */
function checkOpenFiles(limit: number | undefined): Check[] {
  if (limit === undefined) return [];
  const found = { name: 'open files', detail: `${limit} allowed` };
  return [limit >= GOOD_OPEN_FILES ? { ...found, verdict: 'works' } : { ...found, verdict: 'warns', remedy: RAISE_OPEN_FILES }];
}

/** Whether DATA_DIR can be written, or made where it is not there yet. Nothing is written. */
export function checkDataFolder(folder: string): Check {
  const name = 'data folder';
  let existing = folder;
  while (!existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(existing);
    const freeMib = Math.floor((bavail * bsize) / MIB);
    const detail = `${folder} ${existing === folder ? 'can be written' : 'can be made'}, ${freeMib} MiB free`;
    if (freeMib >= NEEDED_DISK_MIB) return { name, verdict: 'works', detail };
    return { name, verdict: 'warns', detail, remedy: `Free ${NEEDED_DISK_MIB} MiB, or set DATA_DIR to another folder.` };
  } catch (error) {
    return {
      name,
      verdict: 'fails',
      detail: (error as Error).message,
      remedy: 'Give this user write access, or set DATA_DIR to another folder.',
    };
  }
}

/** Whether the service could listen where it is told to, or a tickmark answers there already: that one is asked first. */
export async function checkPort(host: string, port: number): Promise<Check> {
  return (port === 0 ? undefined : await askRunning(host, port)) ?? (await tryListening(host, port));
}

/** Finds a tickmark by its /health/ready; undefined: none answers there. */
async function askRunning(host: string, port: number): Promise<Check | undefined> {
  const name = 'port';
  const asked = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}`;
  try {
    const { status, model, backend } = await new TickmarkClient({ baseUrl: url, timeoutMs: READY_MS }).health();
    if (status !== 'ready' || typeof model !== 'string' || typeof backend !== 'string') return undefined;
    return { name, verdict: 'works', detail: `${host}:${port}: a running tickmark is ready, model ${model} on ${backend}`, url };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'service.not_ready') return undefined;
    const detail = `${host}:${port}: a tickmark runs there and is not ready`;
    return { name, verdict: 'warns', detail, remedy: 'Wait until it has started; if it does not become ready, look at its log.', url };
  }
}

function tryListening(host: string, port: number): Promise<Check> {
  const name = 'port';
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail = error.code === 'EADDRINUSE' ? `${host}:${port} is taken by another program` : error.message;
      resolve({ name, verdict: 'fails', detail, remedy: 'Free the port or set PORT and HOST.' });
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resolve({ name, verdict: 'works', detail: port === 0 ? `${host}, a free one` : `${host}:${port} is free` }));
    });
  });
}
