import { flag, oneOf, text, whole, wholeOrAuto, type SettingRow } from './SettingRow.ts';

/** Processes, addresses, log and stop. */
export const SERVICE_SETTINGS = {
  HOST: text('127.0.0.1', 'Address to listen on; 0.0.0.0 means all addresses.'),
  HOST_NAMES: text(
    '',
    'Comma-separated host names under which the service answers while HOST is a loopback address, besides localhost and loopback addresses; needed for a proxy on this machine that passes on the name of the caller; *: any name.',
  ),
  PORT: whole(8080, [0, 65_535], 'Port to listen on; 0 picks a free port.'),
  WORKERS: wholeOrAuto(
    [1, 64],
    'Number of worker processes that serve the port together, each with its own network or all with one inference process; auto: one per processor (of the CPU quota in a container), as far as half of the memory allows, and only one if the network needs an inference process.',
  ),
  METRICS_HOST: text('127.0.0.1', 'Address that /metrics listens on; everyone who can reach it sees all metrics.'),
  METRICS_PORT: whole(0, [0, 65_535], 'Port of /metrics, for Prometheus; 0 turns it off.'),
  START_TIMEOUT_MS: whole(
    480_000,
    [1000, 3_600_000],
    'Maximum time to start or restart a process of the service; the probe of one backend may take 3/8 of it. The first use of a GPU can take minutes.',
  ),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Lowest severity that is logged.'),
  LOG_FORMAT: oneOf(
    ['auto', 'json', 'text'],
    'auto',
    'Form of the log on standard error: json, one value a line; text, lines for people; auto: text on a terminal, json elsewhere.',
  ),
  LOG_ADDRESSES: flag(
    true,
    "Whether a request line of the log has the caller's address (TRUST_PROXY says which); without it, the operator cannot tell whose requests fail or flood.",
  ),
  TRUST_PROXY: flag(false, "Read the caller's address from X-Forwarded-For; set it only behind your own proxy."),
  CORS_ORIGINS: text('', 'Comma-separated origins whose pages may call the service from a browser; *: all; empty: none.'),
  SHUTDOWN_DELAY_MS: whole(
    0,
    [0, 60_000],
    'Time after SIGTERM or Ctrl-C in which /health/ready answers 503 and requests are still accepted, so that a proxy stops sending them before connections are refused; SHUTDOWN_GRACE_MS starts after it.',
  ),
  SHUTDOWN_GRACE_MS: whole(10_000, [0, 300_000], 'Maximum time to finish requests after SIGTERM or Ctrl-C.'),
  UV_THREADPOOL_SIZE: whole(
    4,
    [2, 128],
    'Threads that hash passwords, decompress bodies and read files; Node.js itself reads this variable. One thread is always kept free of hashing.',
  ),
} satisfies Record<string, SettingRow>;
