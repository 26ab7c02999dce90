import { Failure } from '../service/failureText.ts';

/** A Failure as a message carries it: its class is lost. */
export type FailureData = Pick<Failure, 'message' | 'status' | 'code' | 'fields' | 'retryAfterS' | 'requestId'>;

/** What a call in a worker threw: a Failure, or an EngineError, whose codes and fields are those of the service. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { message, code, fieldErrors: fields = [] } = error as Error & { readonly code?: string; readonly fieldErrors?: Failure['fields'] };
  return code === undefined ? new Failure(String(error), { status: 500 }) : new Failure(message, { status: 422, code, fields });
}

export function failureData(error: unknown): FailureData {
  const { message, status, code, fields, retryAfterS, requestId } = failureOf(error);
  return { message, status, code, fields, retryAfterS, requestId };
}
