import { readFileSync, statfsSync } from 'node:fs';
import { arch, platform } from 'node:os';

/** Properties of the machine that the setup needs; tests pass their own. */
export type Machine = {
  readonly platform: string;
  readonly arch: string;
  /** Version of the GNU C library of Node.js; undefined for another C library, such as musl on Alpine. */
  readonly glibc: string | undefined;
  /** CPU flags; undefined if they cannot be read. */
  readonly flags: readonly string[] | undefined;
  /** Path of the running Node.js. */
  readonly execPath: string;
  freeBytes(folder: string): number;
};

export function thisMachine(): Machine {
  return {
    platform: platform(),
    arch: arch(),
    glibc: glibcVersion(),
    flags: processorFlags(),
    execPath: process.execPath,
    freeBytes: (folder) => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
  };
}

function glibcVersion(): string | undefined {
  // The network part of the report queries name servers, which takes seconds.
  (process.report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}

function processorFlags(): readonly string[] | undefined {
  try {
    return /^flags\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ');
  } catch {
    return undefined;
  }
}

/** One thing that the setup needs; `remedy` is set if it is missing. */
export type Requirement = { readonly name: string; readonly detail: string; readonly remedy?: string };
