export type FieldFault = { readonly pointer: string; readonly code: string; readonly detail: string; readonly hint: string };

/** A call that failed. */
export class Failure extends Error {
  /** 0: no answer arrived. */
  readonly status: number;
  /** A code of the error table; null without a problem answer. */
  readonly code: string | null;
  readonly fields: readonly FieldFault[];
  readonly retryAfterS: number | null;
  readonly requestId: string | null;

  constructor(
    detail: string,
    told: {
      readonly status: number;
      readonly code?: string | null;
      readonly fields?: readonly FieldFault[];
      readonly retryAfterS?: number | null;
      readonly requestId?: string | null;
    },
  ) {
    super(detail);
    this.status = told.status;
    this.code = told.code ?? null;
    this.fields = told.fields ?? [];
    this.retryAfterS = told.retryAfterS ?? null;
    this.requestId = told.requestId ?? null;
  }
}
