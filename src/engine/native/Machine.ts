import { accessSync, constants, existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import * as path from 'node:path';
import { MB, formatMegabytes } from './nativePaths.ts';

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

/** C library version that the wheels require (manylinux_2_27). */
const GLIBC = [2, 27] as const;
/** Additional space for temporary files of the programs. */
const SPARE_BYTES = 100 * MB;

/** Checks whether the pinned libraries can run on this machine. */
export function checkPlatform({ platform, arch, glibc, flags }: Machine): Requirement {
  const name = 'platform';
  const elsewhere = 'On this machine, use tickmark with WebAssembly, which needs no setup: npm start.';
  if (platform !== 'linux' || arch !== 'x64')
    return { name, detail: `${platform} ${arch}`, remedy: `The pinned TensorFlow libraries are for Linux on x64. ${elsewhere}` };
  if (!isNewEnough(glibc))
    return {
      name,
      detail: glibc === undefined ? 'linux x64 without the GNU C library' : `linux x64 with glibc ${glibc}`,
      remedy: `The pinned TensorFlow libraries need glibc ${GLIBC.join('.')} or newer, as in Debian 10 and Ubuntu 18.04. ${elsewhere}`,
    };
  if (flags !== undefined && !flags.includes('avx'))
    return {
      name,
      detail: 'a processor without AVX',
      remedy: `The pinned TensorFlow libraries need AVX, which a virtual machine may hide. ${elsewhere}`,
    };
  return { name, detail: `linux x64, glibc ${glibc}` };
}

function isNewEnough(glibc: string | undefined): boolean {
  const [major = 0, minor = 0] = (glibc ?? '0').split('.').map(Number);
  return major > GLIBC[0] || (major === GLIBC[0] && minor >= GLIBC[1]);
}

/** Checks that the folder can be written, that the addon finds tickmark's packages from it, and that the disk has enough space. */
export function checkFolder(root: string, folder: string, neededBytes: number, { freeBytes }: Machine): Requirement[] {
  let existing = folder;
  while (!existsSync(existing)) existing = path.dirname(existing);
  return [checkWritable(root, folder, existing), checkFreeSpace(folder, neededBytes, freeBytes(existing))];
}

function checkWritable(root: string, folder: string, existing: string): Requirement {
  const name = 'folder';
  const real = realpathSync(existing);
  if (path.relative(realpathSync(root), real).startsWith('..'))
    return {
      name,
      detail: `${folder} is a link to ${real}`,
      remedy: `TensorFlow.js cannot find tickmark's packages from there. Remove the link, and mount the disk at ${path.dirname(folder)} instead.`,
    };
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return { name, detail: folder };
  } catch {
    return {
      name,
      detail: `${existing} cannot be written`,
      remedy: 'Run the command as the owner of that folder, or give this user write access.',
    };
  }
}

function checkFreeSpace(folder: string, neededBytes: number, free: number): Requirement {
  const name = 'disk';
  if (neededBytes === 0) return { name, detail: `${formatMegabytes(free)} free` };
  const needed = neededBytes + SPARE_BYTES;
  const detail = `${formatMegabytes(free)} free, ${formatMegabytes(needed)} needed`;
  return free >= needed
    ? { name, detail }
    : { name, detail, remedy: `Free ${formatMegabytes(needed - free)} more on the disk of ${folder}.` };
}
