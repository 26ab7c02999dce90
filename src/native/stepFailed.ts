import { ServiceError } from '../core/ServiceError.ts';
import type { SetupContext } from './SetupStep.ts';

/** Ends the set-up between two programs where it has been called off. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new ServiceError('native.step_failed', 'The set-up was stopped. What is finished is kept: run it again to go on.');
}

/** For a program that ended badly: because it was stopped, or by itself. */
export function stepFailed({ signal }: Pick<SetupContext, 'signal'>, detail: string): ServiceError {
  throwIfStopped(signal);
  return new ServiceError('native.step_failed', detail);
}
