/** A span that is open. */
export type Span = {
  /** Its position in the trace, in the form of the header `traceparent` (W3C Trace Context). */
  readonly traceparent: string;
  /** `name` replaces the name of the start. Attributes contain no key, no e-mail and no tick. */
  end(result?: { readonly name?: string; readonly attributes?: Attributes; readonly isFailed?: boolean }): void;
};

export type Attributes = Readonly<Record<string, string | number>>;

/** Makes the spans of traces (OpenTelemetry). Only where traces are on: parts without a tracer do nothing for it. */
export type Tracer = {
  /**
   * `parent` and `links`: positions; a parent that is absent or not valid starts a trace. `isServer`: work for another process. Undefined if
   * this trace is not recorded.
   */
  start(
    name: string,
    from: { readonly parent: string | undefined; readonly links?: readonly string[]; readonly isServer?: true },
  ): Span | undefined;
  /** Runs `work` with the span as the current one, also in what it awaits. */
  within<T>(span: Span, work: () => T): T;
  /** The position of the current span. */
  readonly current: string | undefined;
  /** Makes a span, in the current one, of work that has just ended. Without a current one, none. */
  record(name: string, ms: number, result?: { readonly attributes?: Attributes; readonly isFailed?: boolean }): void;
};
