import { compileBodyCheck } from './compileBodyCheck.ts';
import { KeyRequestSchema, PasswordRequestSchema, type KeyRequestBody, type PasswordRequest } from './account.ts';
import { SignupRequestSchema, type SignupRequest } from './signup.ts';
import { TickBatchFrameSchema, type TickBatchFrame } from './tickBatch.ts';
import { TickRequestSchema, type TickRequestBody } from './tickForecast.ts';

/** Checks a parsed body against its schema: gives it back typed or throws ServiceError `request.invalid`. */
export type BodyChecks = {
  readonly signup: (body: unknown) => SignupRequest;
  readonly tickRequest: (body: unknown) => TickRequestBody;
  /** The items are not looked at. */
  readonly tickBatchFrame: (body: unknown) => TickBatchFrame;
  readonly keyRequest: (body: unknown) => KeyRequestBody;
  readonly passwordRequest: (body: unknown) => PasswordRequest;
};

/** The body checks of every route that takes a body. Compile once, at start (some milliseconds). */
export function compileBodyChecks(): BodyChecks {
  return {
    signup: compileBodyCheck(SignupRequestSchema),
    tickRequest: compileBodyCheck(TickRequestSchema),
    tickBatchFrame: compileBodyCheck(TickBatchFrameSchema),
    keyRequest: compileBodyCheck(KeyRequestSchema),
    passwordRequest: compileBodyCheck(PasswordRequestSchema),
  };
}
