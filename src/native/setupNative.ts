import { realpathSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock, type Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';
import { nativeParts, type NativeVariant } from '../runtime/nativeParts.ts';
import { probeInChild, type ProbeReport } from '../runtime/probeInChild.ts';
import { addonStep, HEADERS_BYTES } from './addonStep.ts';
import { checkFolder, checkPlatform } from './checkPlace.ts';
import { claimFolder } from './claimFolder.ts';
import { findTools } from './findTools.ts';
import { isRecorded, recordText } from './installedRecord.ts';
import { libraryStep, removeUnpinned, writeWhole } from './libraryStep.ts';
import { linksStep } from './linksStep.ts';
import { thisMachine, type Machine } from './Machine.ts';
import { megabytes } from './megabytes.ts';
import { WHEELS, type Wheel } from './pins.ts';
import { bytesBelow, freshTemporary, temporaryFolder } from './places.ts';
import type { Requirement } from './Requirement.ts';
import type { Progress, SetupContext, SetupStep } from './SetupStep.ts';
import { sourcesStep } from './sourcesStep.ts';
import { runProgram, type RunProgram } from './runProgram.ts';
import { throwIfStopped } from './stepFailed.ts';
import { whileShowing } from './whileShowing.ts';

export type SetupReport = {
  readonly variant: NativeVariant;
  readonly folder: string;
  readonly requirements: readonly Requirement[];
  /** Downloaded, or with `check` still to be downloaded. */
  readonly downloadBytes: number;
  readonly steps: readonly { readonly name: string; readonly state: 'was there' | 'made' | 'missing'; readonly seconds: number }[];
  /** Of the finished parts, in a process of their own; undefined where something is missing still. */
  readonly probe: ProbeReport | undefined;
  /** Whether tickmark uses the parts: they were proven, and are those of this version. */
  readonly isInUse: boolean;
  /** What the folder takes on disk. */
  readonly diskBytes: number;
};

export type SetupOptions = {
  readonly root: string;
  readonly variant: NativeVariant;
  /** Look only. */
  readonly check: boolean;
  readonly progress: Progress;
  readonly environment: ProcessEnvironment;
  /** Ends the set-up; what is finished is kept. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly machine?: Machine;
  readonly wheels?: readonly Wheel[];
  readonly run?: RunProgram;
  readonly probe?: (candidate: string) => Promise<ProbeReport>;
};

/**
 * Downloads TensorFlow's libraries, compiles tfjs-node-gpu's addon against them and proves the result in a child process. What is
 * there already is kept, so an interrupted run goes on where it was. Writes below `.native` of the package alone.
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
  /** The CUDA parts are proven as CPU where there is no GPU; the ladder asks for the GPU when it opens them. */
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
  const release = await claimFolder(path.join(realpathSync(root), '.native', variant));
  try {
    progress(downloadBytes === 0 ? 'nothing to download' : `will download ${megabytes(downloadBytes)} into ${parts.folder}`, false);
    // From here on, until the proof, the parts are not to be used.
    if (missing.length > 0 || !isRecorded(place)) rmSync(parts.record, { force: true });
    const context: SetupContext = { ...place, tools, environment, run, clock, signal, progress };
    freshTemporary(parts, '.');
    for (const wheel of removeUnpinned(place)) progress(`removed what was unpacked of ${wheel}: not pinned any more`, false);
    const done = [];
    for (const [index, step] of steps.entries()) done.push(await runStep(step, context, `[${index + 1}/${steps.length}] ${step.name}`));
    progress('running one FusedLSTM in a process of its own beside the plain loop', false);
    const proof = await whileShowing(context, (seconds) => `loading and running: ${Math.floor(seconds)} s`, prove());
    throwIfStopped(signal);
    if (!proof.works) {
      rmSync(parts.record, { force: true });
      throw new ServiceError(
        'native.step_failed',
        `The parts are in ${parts.folder}, but do not work: ${proof.reason}. They are not used. To make all of them anew, remove that folder first.`,
      );
    }
    if (!isRecorded(place)) writeWhole(context, parts.record, recordText(place));
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
    progress(`${title}: was there`, false);
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
    // Of the file system: a full disk, a folder of another user.
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
