export type FieldFault = { readonly pointer: string; readonly code: string; readonly detail: string; readonly hint: string };

/** A call that was not answered as hoped. */
export class Failure extends Error {
  /** 0: no answer came. */
  readonly status: number;
  /** Of the error table; null where no problem answer came. */
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
