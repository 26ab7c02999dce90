import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../../core/ServiceError.ts';
import type { NativeParts } from '../runtime/nativeParts.ts';
import { downloadWheel, unpackWheel } from './downloadWheel.ts';
import { formatMegabytes, freshTemporary, unpackedFolder, wheelFile } from './nativePaths.ts';
import type { Wheel } from './pins.ts';
import type { SetupContext, SetupTarget, SetupStep } from './SetupStep.ts';

/** Files of an unpacked wheel; written after the last one. */
type Unpacked = { readonly file: string; readonly needed: readonly string[]; /** Bytes by path. */ readonly files: Record<string, number> };

const unpackedRecordFile = (parts: NativeParts, { sha256 }: Wheel): string => path.join(unpackedFolder(parts), `${sha256}.json`);

/** Downloads a wheel, compares its hash, unpacks the needed files and deletes the wheel. */
export function libraryStep(wheel: Wheel): SetupStep {
  return {
    name: `${wheel.project} ${wheel.version}`,
    isDone: ({ parts }) => isUnpacked(parts, wheel),
    cost: ({ parts }) =>
      existsSync(wheelFile(parts, wheel))
        ? { needs: ['python'], downloadBytes: 0, diskBytes: wheel.unpackedBytes, temporaryBytes: 0 }
        : // Two times the size, because pip copies the downloaded file.
          { needs: ['python', 'pip'], downloadBytes: wheel.bytes, diskBytes: wheel.unpackedBytes, temporaryBytes: 2 * wheel.bytes },
    run: async (context) => {
      const { parts } = context;
      const file = wheelFile(parts, wheel);
      const wasThere = existsSync(file);
      if (!wasThere) await downloadWheel(context, wheel);
      await checkHash(file, wheel);
      const files = await unpackWheel(context, wheel);
      const unpacked: Unpacked = { file: wheel.file, needed: wheel.needed, files };
      writeAtomically(context, unpackedRecordFile(parts, wheel), `${JSON.stringify(unpacked, undefined, 1)}\n`);
      rmSync(file);
      return `${wasThere ? 'unpacked' : 'downloaded and unpacked'} ${formatMegabytes(wheel.bytes)} to ${formatMegabytes(sum(Object.values(files)))}, SHA-256 as pinned`;
    },
  };
}

/** False if a file was removed or truncated later; the wheel is then downloaded again. */
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
    // Missing, or truncated by a crash of the machine: the wheel counts as not unpacked.
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

async function checkHash(file: string, wheel: Wheel): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sha256 = hash.digest('hex');
  if (sha256 === wheel.sha256) return;
  const { size } = lstatSync(file);
  rmSync(file);
  throw new ServiceError(
    'native.step_failed',
    `${wheel.file} has ${size} bytes and the SHA-256 ${sha256}; expected: ${wheel.bytes} bytes and ${wheel.sha256}. The file was removed.`,
  );
}

/** Writes a file atomically: to a temporary file, which is then renamed. */
export function writeAtomically({ parts }: Pick<SetupContext, 'parts'>, file: string, text: string): void {
  const draft = path.join(freshTemporary(parts, 'write'), path.basename(file));
  writeFileSync(draft, text);
  mkdirSync(path.dirname(file), { recursive: true });
  renameSync(draft, file);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
