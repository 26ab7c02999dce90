import { ServiceError } from '../core/ServiceError.ts';
import type { SetupContext } from './SetupStep.ts';

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
