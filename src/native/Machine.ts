import { readFileSync, statfsSync } from 'node:fs';
import { arch, platform } from 'node:os';

/** What the set-up asks of the machine itself; tests pass their own. */
export type Machine = {
  readonly platform: string;
  readonly arch: string;
  /** Version of the GNU C library that Node.js runs on; undefined: another one, such as Alpine's musl. */
  readonly glibc: string | undefined;
  /** Flags of the processor; undefined where they cannot be read. */
  readonly flags: readonly string[] | undefined;
  /** The running node. */
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
  // The network part asks name servers and takes seconds.
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
