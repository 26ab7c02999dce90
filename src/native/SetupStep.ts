import type { Clock } from '../core/Clock.ts';
import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';
import type { Wheel } from './pins.ts';
import type { RunProgram } from './runProgram.ts';

/** Where the parts go, and which libraries are wanted: what a step needs to see whether it is done. */
export type SetupPlace = {
  /** Folder of the tickmark package. */
  readonly root: string;
  readonly parts: NativeParts;
  readonly wheels: readonly Wheel[];
};

/** One line on what is going on; a passing one is true for a second only. */
export type Progress = (text: string, isPassing: boolean) => void;

/** What a running step may use. */
export type SetupContext = SetupPlace & {
  readonly tools: Tools;
  readonly environment: ProcessEnvironment;
  readonly run: RunProgram;
  readonly clock: Clock;
  /** Ends the programs that a step has started. */
  readonly signal: AbortSignal | undefined;
  readonly progress: Progress;
};

/** Programs and headers of this machine. What no step needs is not looked for, and empty. */
export type Tools = {
  readonly python: string;
  /** Of pip, such as 23.2. */
  readonly pipVersion: number;
  /** node-gyp's JavaScript entry, inside npm. */
  readonly nodeGyp: string;
  /** npm's JavaScript entry. */
  readonly npm: string;
  /** Prefix with include/node/node_api.h; undefined: node-gyp downloads the headers. */
  readonly headers: string | undefined;
};

export type Need = 'python' | 'pip' | 'npm' | 'compiler' | 'headers';

/** What a step that is not done asks of the machine. */
export type Cost = {
  readonly needs: readonly Need[];
  readonly downloadBytes: number;
  /** Of what stays. */
  readonly diskBytes: number;
  /** Of what is there beside it while the step runs. */
  readonly temporaryBytes: number;
};

/** One part of the set-up. Running it again, or after a kill at any point, ends in the same state. */
export type SetupStep = {
  readonly name: string;
  /** Whether its result is there already, whole. */
  isDone(place: SetupPlace): boolean;
  cost(place: SetupPlace): Cost;
  /** Makes the result; returns one line on what was made. Throws ServiceError `native.step_failed`. */
  run(context: SetupContext): Promise<string>;
};
