import { ServiceError } from '../core/ServiceError.ts';
import { remedyOf } from './explainFailure.ts';

/** One finding of `doctor`. `fails` keeps the service from running; `warns` and `absent` (nothing that it needs) do not. */
export type Check = {
  readonly name: string;
  readonly verdict: 'works' | 'absent' | 'warns' | 'fails';
  readonly detail: string;
  readonly remedy?: string;
  /** Address of a tickmark that runs already. */
  readonly url?: string;
};

/** The check that a thrown fault is. */
export function failedCheck(name: string, error: unknown, verdict: 'fails' | 'warns' = 'fails'): Check {
  if (error instanceof ServiceError) return { name, verdict, detail: error.message, remedy: remedyOf(error) };
  return { name, verdict, detail: error instanceof Error ? error.message : String(error) };
}
