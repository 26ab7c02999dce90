import type { SettingRow } from './SettingRow.ts';

/** Processes, addresses, log and stop. */
export const SERVICE_SETTINGS = {
  HOST: { kind: 'text', default: '127.0.0.1', about: 'Address to listen on; 0.0.0.0 means all addresses.' },
  HOST_NAMES: {
    kind: 'text',
    default: '',
    about:
      'Comma-separated host names under which the service answers while HOST is a loopback address, besides localhost and loopback addresses; needed for a proxy on this machine that passes on the name of the caller; *: any name.',
  },
  PORT: { kind: 'integer', default: '8080', min: 0, max: 65535, about: 'Port to listen on; 0 picks a free port.' },
  WORKERS: {
    kind: 'integer',
    also: 'auto',
    default: 'auto',
    min: 1,
    max: 64,
    about:
      'Number of worker processes that serve the port together, each with its own network or all with one inference process; auto: one per processor (of the CPU quota in a container), as far as half of the memory allows, and only one if the network needs an inference process.',
  },
  METRICS_HOST: {
    kind: 'text',
    default: '127.0.0.1',
    about: 'Address that /metrics listens on; everyone who can reach it sees all metrics.',
  },
  METRICS_PORT: { kind: 'integer', default: '0', min: 0, max: 65535, about: 'Port of /metrics, for Prometheus; 0 turns it off.' },
  START_TIMEOUT_MS: {
    kind: 'integer',
    default: '480000',
    min: 1000,
    max: 3600000,
    about:
      'Maximum time to start or restart a process of the service; the probe of one backend may take 3/8 of it. The first use of a GPU can take minutes.',
  },
  LOG_LEVEL: {
    kind: { oneOf: ['debug', 'info', 'warn', 'error', 'silent'] },
    default: 'info',
    about: 'Lowest severity that is logged.',
  },
  LOG_FORMAT: {
    kind: { oneOf: ['auto', 'json', 'text'] },
    default: 'auto',
    about: 'Form of the log on standard error: json, one value a line; text, lines for people; auto: text on a terminal, json elsewhere.',
  },
  LOG_ADDRESSES: {
    kind: 'boolean',
    default: 'true',
    about:
      "Whether a request line of the log has the caller's address (TRUST_PROXY says which); without it, the operator cannot tell whose requests fail or flood.",
  },
  TRUST_PROXY: {
    kind: 'boolean',
    default: 'false',
    about: "Read the caller's address from X-Forwarded-For; set it only behind your own proxy.",
  },
  CORS_ORIGINS: {
    kind: 'text',
    default: '',
    about: 'Comma-separated origins whose pages may call the service from a browser; *: all; empty: none.',
  },
  SHUTDOWN_DELAY_MS: {
    kind: 'integer',
    default: '0',
    min: 0,
    max: 60000,
    about:
      'Time after SIGTERM or Ctrl-C in which /health/ready answers 503 and requests are still accepted, so that a proxy stops sending them before connections are refused; SHUTDOWN_GRACE_MS starts after it.',
  },
  SHUTDOWN_GRACE_MS: {
    kind: 'integer',
    default: '10000',
    min: 0,
    max: 300000,
    about: 'Maximum time to finish requests after SIGTERM or Ctrl-C.',
  },
  UV_THREADPOOL_SIZE: {
    kind: 'integer',
    default: '4',
    min: 2,
    max: 128,
    about:
      'Threads that hash passwords, decompress bodies and read files; Node.js itself reads this variable. One thread is always kept free of hashing.',
  },
} as const satisfies Record<string, SettingRow>;
