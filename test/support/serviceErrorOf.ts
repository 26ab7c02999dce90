import { expect } from 'chai';
import { ServiceError } from '../../src/core/ServiceError.ts';

/** The ServiceError that a call throws; fails if it throws none. */
export async function serviceErrorOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome: unknown = await call.then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(ServiceError);
  return outcome as ServiceError;
}
