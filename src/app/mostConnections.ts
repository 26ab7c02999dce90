/** Open files for everything but connections: store, model files, child processes. */
const RESERVED_FILES = 128;

/** Connections that leave enough open files for the rest of the service; where the limit is small, half of it. */
export function mostConnections(openFiles: number): number {
  return openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 2));
}

/** The soft limit of open files; Infinity where the system has none or does not tell. */
export function openFilesLimit(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
