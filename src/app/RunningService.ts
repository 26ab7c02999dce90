export type RunningService = {
  /** Where the service answers, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Logs and counts what nobody caught. */
  report(message: string, error: unknown): void;
  /** Finishes the requests at hand, then closes everything in reverse order of opening. Idempotent. */
  close(): Promise<void>;
};
