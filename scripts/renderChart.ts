/** A helm without the flags of its own build takes an old version for that of the cluster. */
export const KUBE_VERSION = '1.32.0';

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

/** `npm run chart`: writes what `helm template` makes of the chart's own values to `deploy/kubernetes`, for those without Helm. */
export const renderChart = {
  file: 'deploy/kubernetes/tickmark.yaml',
  args: ['template', 'tickmark', 'deploy/helm/tickmark', '--namespace', 'tickmark', '--kube-version', KUBE_VERSION],
  /** Without the labels of a release, which only Helm makes. */
  text: (rendered: string): string =>
    `# Written by npm run chart from deploy/helm/tickmark: change the chart, or overlay this with Kustomize.\n${rendered.replace(/^ +app\.kubernetes\.io\/managed-by: Helm\n/gm, '')}`,
} as const;
