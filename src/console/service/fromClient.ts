import { ApiError, TickmarkError, UnexpectedAnswerError } from '../../../clients/typescript/src/errors.ts';
import type { Forecast as ClientForecast, ForecastOptions } from '../../../clients/typescript/src/Forecast.ts';
import { Failure } from './failureText.ts';
import type { Forecast } from './Service.ts';

export function apiFailure({ message, status, code, fieldErrors: fields, retryAfterMs, requestId }: ApiError): Failure {
  return new Failure(message, { status, code, fields, retryAfterS: retryAfterMs === undefined ? null : retryAfterMs / 1000, requestId });
}

/** Converts errors of the client to Failure; an abort is passed on unchanged. */
function failureOf(error: unknown): unknown {
  if (error instanceof ApiError) return apiFailure(error);
  if (error instanceof UnexpectedAnswerError) return new Failure(error.message, { status: error.status });
  // No connection, or no answer in time.
  return error instanceof TickmarkError ? new Failure(error.message, { status: 0 }) : error;
}

/** Rejects with Failure where the client rejects with its own errors. */
export async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failureOf(error);
  }
}

export function withDetail({ trend_identified: mark, detail }: ClientForecast): Forecast {
  if (detail === undefined) throw new Failure('The answer has no detail.', { status: 500 });
  return { mark, detail };
}

/** Bars of the page are stamped at their ends. */
export const barTimeOf = (hasBars: boolean): Pick<ForecastOptions, 'barTime'> => (hasBars ? { barTime: 'close' } : {});
