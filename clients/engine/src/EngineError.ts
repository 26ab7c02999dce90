import type { FieldProblem } from '../../typescript/src/errors.ts';
import type { ErrorCode } from '../../typescript/src/wire.ts';

/** Why something was refused, with the codes of the service. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: ErrorCode;
  /** The broken rules of `request.invalid`; else empty. */
  readonly fieldErrors: readonly FieldProblem[];
  /** What to do. */
  readonly remedy: string;

  constructor(message: string, { code, fieldErrors, remedy }: Pick<EngineError, 'code' | 'fieldErrors' | 'remedy'>) {
    super(message);
    this.code = code;
    this.fieldErrors = fieldErrors;
    this.remedy = remedy;
  }
}
