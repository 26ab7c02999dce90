import { readFileSync } from 'node:fs';

/** Node.js has about 160 files open while it loads the program. A ready service has 30 open, and one more for each connection. */
export const MIN_OPEN_FILES = 256;
/** With a lower limit, a service soon has to close connections. */
export const GOOD_OPEN_FILES = 1024;

export const RAISE_OPEN_FILES =
  'Raise the limit: ulimit -n 4096 in the shell, LimitNOFILE=4096 in a unit of systemd, --ulimit nofile=4096 for Docker.';

/** The limit of open files of this process; undefined on systems that do not report it (all except Linux). */
export function openFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Infinity : Number(limit);
  } catch {
    return undefined;
  }
}

/** Why the program cannot be loaded; undefined if it can. */
export function openFilesFault(limit = openFilesLimit()): string | undefined {
  if (limit === undefined || limit >= MIN_OPEN_FILES) return undefined;
  const needed = `tickmark needs ${MIN_OPEN_FILES}, and a service ${GOOD_OPEN_FILES} or more: each connection takes one`;
  return `this process may open ${limit} files; ${needed}. ${RAISE_OPEN_FILES}`;
}
