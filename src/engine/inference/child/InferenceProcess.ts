import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { forwardLines } from '../../../core/childProcess.ts';
import type { Logger } from '../../../core/Logger.ts';

/** The inference process as one service process has it. */
export type InferenceProcess = {
  /** Frames go both ways; undefined: the process could not be started. */
  readonly stream: Duplex | undefined;
  /** Resolves with the reason once the connection has ended. Never rejects. */
  readonly ended: Promise<string>;
  readonly pid: number | undefined;
  kill(): void;
};

/** Starts it. Throws what starting a process throws; one that could not be started ends at once with the reason. */
export function spawnInference(program: string, args: readonly string[], logger: Logger): InferenceProcess {
  const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...loader, program, ...args], {
    // A pipe that is always read: native libraries write to it, and would block forever if ours is not read.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  // First of all: without file descriptors there is no pipe, and the error comes later.
  const ended = new Promise<string>((resolve) => {
    child
      .once('error', (error) => resolve(error.message))
      .once('exit', (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  if (child.stderr)
    forwardLines(child.stderr, (lines) => {
      for (const text of lines.trimEnd().split('\n')) logger.warn('the inference process wrote', { text });
    });
  const stream = child.stdio?.[3] as Duplex | undefined;
  stream?.on('error', () => {}).on('close', kill);
  return { stream, ended, pid: child.pid, kill };
}

/** One that another process has started and that listens on a Unix socket; to kill it closes the connection. */
export function connectInference(socketPath: string): InferenceProcess {
  const stream = connect(socketPath);
  const ended = new Promise<string>((resolve) => {
    stream.once('error', (error) => resolve(error.message)).once('close', () => resolve('its connection closed'));
  });
  return { stream, ended, pid: undefined, kill: () => void stream.destroy() };
}
