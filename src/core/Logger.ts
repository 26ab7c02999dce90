export type LogFields = Readonly<Record<string, unknown>>;

/** The log. One event is one line; fields never contain a key, a password or the value of a header that was not asked for. */
export type Logger = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
