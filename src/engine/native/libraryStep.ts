import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import type { NativeParts } from '../runtime/nativeParts.ts';
import { formatMegabytes, bytesBelow, freshTemporary, MB, pipEnvironment, temporaryFolder } from './nativePaths.ts';
import type { Wheel } from './pins.ts';
import { lastLines } from './runProgram.ts';
import { type SetupContext, type SetupTarget, type SetupStep, stepFailed, withProgress } from './SetupStep.ts';

/** Files of an installed wheel; written after the last one. */
type Unpacked = { readonly file: string; readonly needed: readonly string[]; /** Bytes by path. */ readonly files: Record<string, number> };

/** Records of installed wheels, named by their hashes. */
const unpackedFolder = ({ folder }: NativeParts): string => path.join(folder, 'unpacked');
const unpackedRecordFile = (parts: NativeParts, { sha256 }: Wheel): string => path.join(unpackedFolder(parts), `${sha256}.json`);
/** Where an operator puts wheels for a machine without internet. */
const wheelFolder = ({ folder }: NativeParts): string => path.join(folder, 'wheels');
const isCopied = (parts: NativeParts, { file }: Wheel): boolean => existsSync(path.join(wheelFolder(parts), file));

/** Lets pip download a wheel, compare its hash and unpack it; keeps the needed files. */
export function libraryStep(wheel: Wheel): SetupStep {
  return {
    name: `${wheel.project} ${wheel.version}`,
    isDone: ({ parts }) => isUnpacked(parts, wheel),
    cost: ({ parts }) => ({
      needs: ['python'],
      downloadBytes: isCopied(parts, wheel) ? 0 : wheel.bytes,
      diskBytes: wheel.unpackedBytes,
      // The download, its copy, and the files that are not needed, at most half of the others.
      temporaryBytes: (isCopied(parts, wheel) ? 0 : 2 * wheel.bytes) + 0.5 * wheel.unpackedBytes,
    }),
    run: async (context) => {
      const { parts } = context;
      const draft = await installWheel(context, wheel);
      const files: Record<string, number> = {};
      for (const entry of readdirSync(draft, { recursive: true, withFileTypes: true })) {
        const from = path.join(entry.parentPath, entry.name);
        const name = path.relative(draft, from);
        if (!entry.isFile() || !wheel.needed.some((prefix) => name.startsWith(prefix))) continue;
        files[name] = lstatSync(from).size;
        // Renamed, so a running service keeps the old libraries that it has mapped into memory.
        mkdirSync(path.dirname(path.join(parts.folder, name)), { recursive: true });
        renameSync(from, path.join(parts.folder, name));
      }
      if (Object.keys(files).length === 0) throw stepFailed(context, `No file of ${wheel.file} begins with ${wheel.needed.join(' or ')}.`);
      rmSync(draft, { recursive: true });
      const unpacked: Unpacked = { file: wheel.file, needed: wheel.needed, files };
      writeAtomically(context, unpackedRecordFile(parts, wheel), `${JSON.stringify(unpacked, undefined, 1)}\n`);
      const bytes = Object.values(files).reduce((sum, size) => sum + size, 0);
      return `${formatMegabytes(wheel.bytes)} unpacked to ${formatMegabytes(bytes)}, SHA-256 as pinned`;
    },
  };
}

/** Platform tags of the wheels; pip refuses a wheel with an unlisted tag when it installs for another Python. */
const PLATFORMS = ['_2_27', '_2_25', '_2_17', '_2_12', '_2_5', '1'].map((version) => `manylinux${version}_x86_64`);
const ARGUMENTS = [
  ...['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off'],
  ...['--no-deps', '--no-compile', '--no-cache-dir', '--only-binary=:all:', '--require-hashes'],
  ...['--python-version', '3.12', '--implementation', 'cp', ...PLATFORMS.flatMap((platform) => ['--platform', platform])],
];

/** The folder into which pip has installed a wheel: a copied one, or that of the index, with the proxies and certificates of this machine. */
async function installWheel(context: SetupContext, wheel: Wheel): Promise<string> {
  const { parts, tools, environment, run, signal } = context;
  const folder = freshTemporary(parts, 'install');
  const list = path.join(freshTemporary(parts, 'list'), 'wheel.txt');
  writeFileSync(list, `${wheel.project}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const source = isCopied(parts, wheel) ? ['--no-index', '--find-links', wheelFolder(parts)] : [];
  const { code, output } = await withProgress(
    context,
    installText(context, wheel),
    run(tools.python, [...ARGUMENTS, ...source, '--target', folder, '--requirement', list], {
      environment: pipEnvironment(environment, parts),
      // In an empty folder, because Python searches its start folder for modules.
      cwd: freshTemporary(parts, 'empty'),
      signal,
    }),
  );
  if (code === 0) return folder;
  const remedy = isCopied(parts, wheel)
    ? `Remove it from ${wheelFolder(parts)}, or copy it again if its hash differs.`
    : 'Make the package index reachable (pip config list shows its address), or copy the file by hand as docs/how-to/native.md says.';
  throw stepFailed(context, `pip could not install ${wheel.file}. ${remedy} Output of pip:\n${lastLines(output)}`);
}

/** Progress text from the growing file in pip's temporary folder, because pip shows no progress bar without a terminal. */
function installText({ parts }: SetupContext, wheel: Wheel): (seconds: number) => string {
  return (seconds) => {
    const bytes = bytesBelow(temporaryFolder(parts));
    if (bytes >= wheel.bytes || isCopied(parts, wheel)) return `${wheel.file}: pip compares the hash and unpacks: ${Math.floor(seconds)} s`;
    const left = (wheel.bytes - bytes) / (bytes / seconds);
    const end = bytes < MB ? '' : `, ${formatMegabytes(bytes / seconds)}/s, ${Math.ceil(left)} s left`;
    return `downloading ${wheel.file}: ${formatMegabytes(bytes)} of ${formatMegabytes(wheel.bytes)}, ${Math.floor((100 * bytes) / wheel.bytes)} %${end}`;
  };
}

/** False if a file was removed or truncated later; the wheel is then installed again. */
function isUnpacked(parts: NativeParts, wheel: Wheel): boolean {
  const record = readUnpackedRecord(unpackedRecordFile(parts, wheel));
  if (record === undefined || record.needed.join() !== wheel.needed.join()) return false;
  return Object.entries(record.files).every(
    ([name, bytes]) => lstatSync(path.join(parts.folder, name), { throwIfNoEntry: false })?.size === bytes,
  );
}

function readUnpackedRecord(file: string): Unpacked | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Unpacked;
  } catch {
    // Missing, or truncated by a crash of the machine: the wheel counts as not installed.
    return undefined;
  }
}

/** Removes libraries that only an earlier version of tickmark had pinned. Returns the names of their wheels. */
export function removeUnpinned({ parts, wheels }: SetupTarget): string[] {
  const folder = unpackedFolder(parts);
  const pinned = new Set(wheels.map(({ sha256 }) => `${sha256}.json`));
  const stamps = existsSync(folder) ? readdirSync(folder).filter((name) => !pinned.has(name)) : [];
  return stamps.map((name) => {
    const record = readUnpackedRecord(path.join(folder, name));
    for (const file of Object.keys(record?.files ?? {})) rmSync(path.join(parts.folder, file), { force: true });
    rmSync(path.join(folder, name));
    return record?.file ?? name;
  });
}

/** Writes a file atomically: to a temporary file, which is then renamed. */
export function writeAtomically({ parts }: Pick<SetupContext, 'parts'>, file: string, text: string): void {
  const draft = path.join(freshTemporary(parts, 'write'), path.basename(file));
  writeFileSync(draft, text);
  mkdirSync(path.dirname(file), { recursive: true });
  renameSync(draft, file);
}

/** Links the libraries to the names that the addon's build and its loader expect. */
export const linksStep: SetupStep = {
  name: 'links',
  isDone: ({ parts }) => links(parts).every(([link, target]) => existsSync(link) && targetOf(link) === target),
  cost: () => ({ needs: [], downloadBytes: 0, diskBytes: 0, temporaryBytes: 0 }),
  run: async ({ parts }) => {
    for (const [link, target] of links(parts)) {
      mkdirSync(path.dirname(link), { recursive: true });
      rmSync(link, { force: true, recursive: true });
      symlinkSync(target, link);
    }
    return links(parts)
      .map(([link]) => path.basename(link))
      .join(', ');
  },
};

const targetOf = (link: string): string | undefined => (lstatSync(link).isSymbolicLink() ? readlinkSync(link) : undefined);

/** Relative links, so that the folder of tickmark can be moved or copied into an image. */
function links({ tensorflow, tfjsNode }: NativeParts): [link: string, target: string][] {
  const deps = path.join(tfjsNode, 'deps');
  return [
    [path.join(deps, 'lib'), path.relative(deps, tensorflow)],
    [path.join(deps, 'include'), path.relative(deps, path.join(tensorflow, 'include'))],
  ];
}
