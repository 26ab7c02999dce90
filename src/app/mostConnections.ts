/** Open files for everything but connections: store, model files, child processes. */
const RESERVED_FILES = 128;

/** Connections that leave enough open files for the rest of the service; where the limit is small, half of it. */
export function mostConnections(openFiles: number): number {
  return openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 2));
}
