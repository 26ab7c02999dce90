import { createHash } from 'node:crypto';
import { realpathSync, rmSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import * as path from 'node:path';
import { systemClock, type Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ProcessEnvironment } from '../runtime/Runtime.ts';
import { nativeParts, type NativeVariant, type NativeRecord } from '../runtime/nativeParts.ts';
import { probeInChild, type ProbeReport } from '../runtime/probeInChild.ts';
import { checkFolder, checkPlatform, thisMachine, type Machine, type Requirement } from './Machine.ts';
import { type Progress, type SetupContext, type SetupStep, throwIfStopped, withProgress, type SetupTarget } from './SetupStep.ts';
import { addonStep, HEADERS_BYTES } from './addonStep.ts';
import { findTools } from './findTools.ts';
import { libraryStep, linksStep, removeUnpinned, writeAtomically } from './libraryStep.ts';
import { formatMegabytes, bytesBelow, freshTemporary, temporaryFolder } from './nativePaths.ts';
import { WHEELS, type Wheel, TENSORFLOW_VERSION, TFJS_NODE_VERSION } from './pins.ts';
import { runProgram, type RunProgram } from './runProgram.ts';
import { sourcesStep } from './sourcesStep.ts';

export type SetupReport = {
  readonly variant: NativeVariant;
  readonly folder: string;
  readonly requirements: readonly Requirement[];
  /** Downloaded bytes, or with `check` the bytes to download. */
  readonly downloadBytes: number;
  readonly steps: readonly { readonly name: string; readonly state: 'was there' | 'made' | 'missing'; readonly seconds: number }[];
  /** Probe of the finished parts in a child process; undefined if something is missing. */
  readonly probe: ProbeReport | undefined;
  /** Whether tickmark uses the parts: they are verified, and belong to this version. */
  readonly isInUse: boolean;
  /** Disk space of the folder. */
  readonly diskBytes: number;
};

export type SetupOptions = {
  readonly root: string;
  readonly variant: NativeVariant;
  /** Only check, change nothing. */
  readonly check: boolean;
  readonly progress: Progress;
  readonly environment: ProcessEnvironment;
  /** Stops the setup; finished steps are kept. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly machine?: Machine;
  readonly wheels?: readonly Wheel[];
  readonly run?: RunProgram;
  readonly probe?: (candidate: string) => Promise<ProbeReport>;
};

/**
 * Downloads TensorFlow's libraries, compiles tfjs-node-gpu's addon against them and verifies the result in a child process. Keeps
 * finished steps, so an interrupted run continues where it stopped. Writes only to `.native` of the package.
 *
 * @throws ServiceError `native.not_possible` naming each missing tool with its remedy, `native.step_failed`
 */
export async function setupNative(options: SetupOptions): Promise<SetupReport> {
  const { root, variant, check, progress, environment, signal, clock = systemClock, machine = thisMachine() } = options;
  const { wheels = WHEELS[variant], probe = probeInChild, run = runProgram } = options;
  const parts = nativeParts(root, variant);
  const place = { root, parts, wheels };
  const steps = [...wheels.map(libraryStep), sourcesStep, linksStep, addonStep];
  const missing = steps.filter((step) => !step.isDone(place));
  const costs = missing.map((step) => step.cost(place));
  const needs = new Set(costs.flatMap((cost) => cost.needs));
  const { requirements: ofTools, tools } = await findTools(needs, environment, machine.execPath, run);
  const needsHeaders = tools.headers === undefined && needs.has('headers');
  const extra = needsHeaders ? HEADERS_BYTES : { download: 0, disk: 0 };
  const downloadBytes = costs.reduce((sum, cost) => sum + cost.downloadBytes, extra.download);
  const stays = costs.reduce((sum, cost) => sum + cost.diskBytes, extra.disk);
  const neededBytes = stays + Math.max(0, ...costs.map(({ temporaryBytes }) => temporaryBytes));
  const requirements = [checkPlatform(machine), ...checkFolder(root, parts.folder, neededBytes, machine), ...ofTools];
  const report = { variant, folder: parts.folder, requirements, downloadBytes };
  /** Verifies on the CPU, so that the CUDA parts can be installed without a GPU. Opening the runtime checks the GPU. */
  const prove = (): Promise<ProbeReport> => probe(`setup:${variant}`);

  if (check) {
    const states = steps.map((step) => ({
      name: step.name,
      state: missing.includes(step) ? ('missing' as const) : ('was there' as const),
      seconds: 0,
    }));
    const proof = missing.length === 0 ? await prove() : undefined;
    return { ...report, steps: states, probe: proof, isInUse: isRecorded(place), diskBytes: bytesBelow(parts.folder) };
  }

  refuseWhatIsMissing(requirements);
  const release = await lockFolder(path.join(realpathSync(root), '.native', variant));
  try {
    progress(downloadBytes === 0 ? 'nothing to download' : `will download ${formatMegabytes(downloadBytes)} into ${parts.folder}`, false);
    // Without the record, the parts are not used until they are verified.
    if (missing.length > 0 || !isRecorded(place)) rmSync(parts.record, { force: true });
    const context: SetupContext = { ...place, tools, environment, run, clock, signal, progress };
    freshTemporary(parts, '.');
    for (const wheel of removeUnpinned(place)) progress(`removed the files of ${wheel}, which is no longer pinned`, false);
    const done = [];
    for (const [index, step] of steps.entries()) done.push(await runStep(step, context, `[${index + 1}/${steps.length}] ${step.name}`));
    progress('comparing one FusedLSTM in a child process with the plain loop', false);
    const proof = await withProgress(context, (seconds) => `loading and running: ${Math.floor(seconds)} s`, prove());
    throwIfStopped(signal);
    if (!proof.works) {
      rmSync(parts.record, { force: true });
      throw new ServiceError(
        'native.step_failed',
        `The parts are in ${parts.folder}, but do not work: ${proof.reason}. They are not used. To install all of them again, first remove that folder.`,
      );
    }
    if (!isRecorded(place)) writeAtomically(context, parts.record, recordText(place));
    rmSync(path.join(parts.folder, 'wheels'), { recursive: true, force: true });
    rmSync(temporaryFolder(parts), { recursive: true, force: true });
    return { ...report, steps: done, probe: proof, isInUse: true, diskBytes: bytesBelow(parts.folder) };
  } finally {
    release();
  }
}

async function runStep(step: SetupStep, context: SetupContext, title: string): Promise<SetupReport['steps'][number]> {
  const { signal, progress, clock } = context;
  throwIfStopped(signal);
  if (step.isDone(context)) {
    progress(`${title}: already installed`, false);
    return { name: step.name, state: 'was there', seconds: 0 };
  }
  const startMs = clock.monotonicMs();
  try {
    const made = await step.run(context);
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    progress(`${title}: ${made}, ${seconds.toFixed(1)} s`, false);
    return { name: step.name, state: 'made', seconds };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // An error of the file system, such as a full disk or missing write access.
    throw new ServiceError('native.step_failed', `${step.name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function refuseWhatIsMissing(requirements: readonly Requirement[]): void {
  const missing = requirements.filter(({ remedy }) => remedy !== undefined);
  if (missing.length === 0) return;
  const lines = missing.map(({ name, detail, remedy }) => `${name}: ${detail}. ${remedy}`);
  throw new ServiceError('native.not_possible', lines.join('\n  '));
}

/** Content of `installed.json` for verified parts of this version of tickmark. */
function recordText({ parts, wheels }: SetupTarget): string {
  const record: NativeRecord = {
    variant: parts.variant,
    tensorflow: TENSORFLOW_VERSION,
    tfjsNode: TFJS_NODE_VERSION,
    wheels: Object.fromEntries(wheels.map(({ project, version }) => [project, version])),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

const isRecorded = (place: SetupTarget): boolean =>
  existsSync(place.parts.record) && readFileSync(place.parts.record, 'utf8') === recordText(place);

/**
 * Locks a folder for one setup at a time. The lock is an abstract socket name, which Linux releases when the process ends for any
 * reason, so no stale lock file can remain. Returns the function that releases the lock.
 *
 * @throws ServiceError `native.not_possible` if another process holds the lock
 */
function lockFolder(folder: string): Promise<() => void> {
  const name = `\0tickmark-setup-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail =
        error.code === 'EADDRINUSE'
          ? `Another setup is running in ${folder}. Wait until it has finished.`
          : `${folder} could not be locked for this setup: ${error.message}`;
      reject(new ServiceError('native.not_possible', detail, { cause: error }));
    });
    server.listen({ path: name }, () => resolve(() => void server.close()));
    server.unref();
  });
}
