import { compileBodyCheck } from './compileBodyCheck.ts';
import { KeyRequestSchema, PasswordRequestSchema, type KeyRequestBody, type PasswordRequest } from './account.ts';
import { SignupRequestSchema, type SignupRequest } from './signup.ts';
import { TickRequestSchema, type TickRequestBody } from './tickForecast.ts';

/** Checks a parsed body against its schema: gives it back typed or throws ServiceError `request.invalid`. */
export type BodyChecks = {
  readonly signup: (body: unknown) => SignupRequest;
  readonly tickRequest: (body: unknown) => TickRequestBody;
  readonly keyRequest: (body: unknown) => KeyRequestBody;
  readonly passwordRequest: (body: unknown) => PasswordRequest;
};

/** The body checks of every route that takes a body. Compile once, at start (some milliseconds). */
export function compileBodyChecks(): BodyChecks {
  return {
    signup: compileBodyCheck(SignupRequestSchema),
    tickRequest: compileBodyCheck(TickRequestSchema),
    keyRequest: compileBodyCheck(KeyRequestSchema),
    passwordRequest: compileBodyCheck(PasswordRequestSchema),
  };
}
