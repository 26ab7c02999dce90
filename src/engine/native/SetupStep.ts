import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ProcessEnvironment } from '../runtime/Runtime.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';
import type { Wheel } from './pins.ts';
import type { RunProgram } from './runProgram.ts';

/** Target folders and pinned libraries: the input with which a step checks whether it is done. */
export type SetupTarget = {
  /** Folder of the tickmark package. */
  readonly root: string;
  readonly parts: NativeParts;
  readonly wheels: readonly Wheel[];
};

/** Reports progress in one line. A line with `isPassing` is replaced by the next one. */
export type Progress = (text: string, isPassing: boolean) => void;

/** Input of a running step. */
export type SetupContext = SetupTarget & {
  readonly tools: Tools;
  readonly environment: ProcessEnvironment;
  readonly run: RunProgram;
  readonly clock: Clock;
  /** Stops the programs that a step has started. */
  readonly signal: AbortSignal | undefined;
  readonly progress: Progress;
};

/** Programs and headers of this machine. Those that no step needs are not searched for, and are empty. */
export type Tools = {
  readonly python: string;
  /** node-gyp's JavaScript entry, inside npm. */
  readonly nodeGyp: string;
  /** npm's JavaScript entry. */
  readonly npm: string;
  /** Prefix with include/node/node_api.h; if undefined, node-gyp downloads the headers. */
  readonly headers: string | undefined;
};

export type Need = 'python' | 'npm' | 'compiler' | 'headers';

/** Resources that an unfinished step needs. */
type Cost = {
  readonly needs: readonly Need[];
  readonly downloadBytes: number;
  /** Disk space of the result. */
  readonly diskBytes: number;
  /** Additional disk space during the step. */
  readonly temporaryBytes: number;
};

/** One idempotent step of the setup. It ends in the same state when it is repeated, also after a kill at any point. */
export type SetupStep = {
  readonly name: string;
  /** Whether its result already exists completely. */
  isDone(place: SetupTarget): boolean;
  cost(place: SetupTarget): Cost;
  /** Runs the step; returns a one-line summary. Throws ServiceError `native.step_failed`. */
  run(context: SetupContext): Promise<string>;
};

/** Throws if the setup was stopped; called between two programs. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new ServiceError('native.step_failed', 'The setup was stopped. Finished steps are kept: run the command again to continue.');
}

/** The error for a failed program: that the setup was stopped, or else `detail`. */
export function stepFailed({ signal }: Pick<SetupContext, 'signal'>, detail: string): ServiceError {
  throwIfStopped(signal);
  return new ServiceError('native.step_failed', detail);
}

const PULSE_MS = 1000;

/** Reports `text(elapsed seconds)` as passing progress every second until the work has ended. */
export async function withProgress<T>(
  { clock, progress }: Pick<SetupContext, 'clock' | 'progress'>,
  text: (seconds: number) => string,
  work: Promise<T>,
): Promise<T> {
  const startMs = clock.monotonicMs();
  let callOff = (): void => {};
  const pulse = (): void => {
    callOff = clock.after(PULSE_MS, () => {
      progress(text((clock.monotonicMs() - startMs) / 1000), true);
      pulse();
    });
  };
  pulse();
  try {
    return await work;
  } finally {
    callOff();
  }
}
