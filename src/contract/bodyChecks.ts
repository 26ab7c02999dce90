import { compileBodyCheck } from './compileBodyCheck.ts';
import { KeyRequestSchema, PasswordRequestSchema, type KeyRequestBody, type PasswordRequest } from './account.ts';
import { SignupRequestSchema, type SignupRequest } from './signup.ts';
import { TickBatchFrameSchema, type TickBatchFrame } from './tickBatch.ts';
import { TickRequestSchema, type TickRequestBody } from './tickForecast.ts';

/** Validates a parsed body against its schema: returns it typed or throws ServiceError `request.invalid`. */
export type BodyChecks = {
  readonly signup: (body: unknown) => SignupRequest;
  readonly tickRequest: (body: unknown) => TickRequestBody;
  /** Does not validate the items. */
  readonly tickBatchFrame: (body: unknown) => TickBatchFrame;
  readonly keyRequest: (body: unknown) => KeyRequestBody;
  readonly passwordRequest: (body: unknown) => PasswordRequest;
};

/** Compiles the checks of all request bodies. Call it once, at start (a few milliseconds). */
export function compileBodyChecks(): BodyChecks {
  return {
    signup: compileBodyCheck(SignupRequestSchema),
    tickRequest: compileBodyCheck(TickRequestSchema),
    tickBatchFrame: compileBodyCheck(TickBatchFrameSchema),
    keyRequest: compileBodyCheck(KeyRequestSchema),
    passwordRequest: compileBodyCheck(PasswordRequestSchema),
  };
}
