import { ERROR_TABLE } from '../core/errorTable.ts';
import { ServiceError } from '../core/ServiceError.ts';

/** One finding of `doctor`. `fails` keeps the service from running; `warns` and `absent` (nothing that it needs) do not. */
export type Check = {
  readonly name: string;
  readonly verdict: 'works' | 'absent' | 'warns' | 'fails';
  readonly detail: string;
  readonly remedy?: string;
};

/** The check that a thrown fault is. */
export function failedCheck(name: string, error: unknown, verdict: 'fails' | 'warns' = 'fails'): Check {
  if (error instanceof ServiceError) return { name, verdict, detail: error.message, remedy: ERROR_TABLE[error.code].remedy };
  return { name, verdict, detail: error instanceof Error ? error.message : String(error) };
}
