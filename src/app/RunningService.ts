export type RunningService = {
  /** Where the service answers, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Logs and counts an unhandled error. */
  report(message: string, error: unknown): void;
  /** Finishes the requests in flight, then closes everything in reverse order of opening. Idempotent. */
  close(): Promise<void>;
};
