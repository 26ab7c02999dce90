import { ServiceError } from '../core/ServiceError.ts';
import { remedyOf } from './explainFailure.ts';

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
