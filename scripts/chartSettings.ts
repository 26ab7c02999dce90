/**
 * Not in `settings`: ports, probes, volumes and the time to stop depend on those that the chart sets from its own values, and the URI contains
 * a password.
 */
export const NOT_IN_SETTINGS: readonly string[] = [
  'DATA_DIR',
  'HOST',
  'METRICS_HOST',
  'METRICS_PORT',
  'MONGODB_URI',
  'PORT',
  'SHUTDOWN_GRACE_MS',
  'WORKERS',
];
