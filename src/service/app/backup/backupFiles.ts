import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv } from 'ajv';
import type { Static } from 'typebox';
import { Type } from '../../../core/schema.ts';
import { programVersion } from '../../../core/packageRoot.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { readSmallFile } from '../../../engine/model/readRegularFile.ts';
import { registryPaths, isVersionId, versionFolders } from '../../../engine/model/registry/registryPaths.ts';

/** A backup is a folder with this file, written last, and all files that it names. */
export const MANIFEST = 'backup.json';
export const ACCOUNTS_FILE = 'accounts.ndjson';
const FORMAT = 'tickmark-backup/1';
/** Names of files in a version; anything else there is not the version's. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;

const BackupSchema = Type.Object({
  format: Type.Literal(FORMAT),
  createdAt: Type.String(),
  tickmark: Type.String(),
  /** Names the account store; absent in backups of earlier versions. */
  store: Type.Optional(Type.String({ maxLength: 65_536 })),
  files: Type.Array(
    Type.Object({
      /** With slashes, whatever the system. */
      path: Type.String({
        pattern: '^(accounts\\.ndjson|models/(current\\.json|history\\.jsonl|[a-z0-9][a-z0-9.-]{0,63}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}))$',
      }),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { maxItems: 100_000 },
  ),
});

export type Backup = Static<typeof BackupSchema>;
export type BackupFile = Backup['files'][number];

export function newBackup(made: Required<Pick<Backup, 'tickmark' | 'store'>>, createdAtMs: number, files: readonly BackupFile[]): Backup {
  return { format: FORMAT, createdAt: new Date(createdAtMs).toISOString(), ...made, files: [...files] };
}

export function backupRefused(why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup.refused', why, { cause });
}

/** A sentence for messages if another tickmark made the backup; otherwise empty. */
export function madeByAnother(backup: unknown): string {
  const maker = typeof backup === 'object' && backup !== null && 'tickmark' in backup ? backup.tickmark : undefined;
  if (typeof maker !== 'string' || maker === programVersion()) return '';
  return `tickmark ${maker.slice(0, 100)} made this backup; this is tickmark ${programVersion()}.`;
}

/** Size and hash of a plain file, a piece at a time. A link is none. */
export function fingerprint(file: string): { readonly bytes: number; readonly sha256: string } {
  if (!lstatSync(file).isFile()) throw backupRefused(`${file} is not a plain file.`);
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(handle);
    const hash = createHash('sha256');
    const piece = Buffer.alloc(1 << 20);
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) hash.update(piece.subarray(0, read));
    return { bytes: size, sha256: hash.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

/** The owner's versions and pointers, as paths in a backup. */
export function modelPaths(modelsDir: string): string[] {
  const pointers = [registryPaths(modelsDir).current, registryPaths(modelsDir).history].filter((file) => existsSync(file));
  const versions = versionFolders(modelsDir).filter((folder) => isVersionId(path.basename(folder)));
  const files = versions.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && FILE_NAME.test(entry.name) ? path.join(folder, entry.name) : [],
    ),
  );
  return [...pointers, ...files].map((file) => `models/${path.relative(modelsDir, file).split(path.sep).join('/')}`);
}

/** Where a path of a backup lies in a folder that takes the place of the backup's own. */
export function placeOf(backupPath: string, { modelsDir }: { readonly modelsDir: string }): string {
  return path.join(modelsDir, ...backupPath.split('/').slice(1));
}

/** Throws for a name that occurs twice or is no version, a link, and a file among the versions that the manifest does not name. */
function refuseNames(folder: string, { files }: Backup): void {
  const names = new Set(files.map(({ path: name }) => name));
  if (names.size < files.length) throw backupRefused(`${path.join(folder, MANIFEST)} names a file twice.`);
  for (const name of names) {
    const [, id, file] = name.split('/');
    if (file !== undefined && !isVersionId(id))
      throw backupRefused(`${path.join(folder, MANIFEST)} names ${name}: ${id} cannot be a version.`);
  }
  const models = path.join(folder, 'models');
  const found = lstatSync(models, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw backupRefused(`${models} is not a folder, or is a link to one.`);
  for (const entry of readdirSync(models, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) throw backupRefused(`${file} is not a plain file.`);
    if (!names.has(path.relative(folder, file).split(path.sep).join('/')))
      throw backupRefused(`${file} is not named in ${MANIFEST}. Move it to another folder.`);
  }
}

/** Reads and checks a backup: every file that it names, and no link among them. Throws ServiceError `backup.refused`. */
export function readBackup(folder: string): Backup {
  const text = readSmallFile(path.join(folder, MANIFEST), MAX_MANIFEST_BYTES);
  if (text === null) throw backupRefused(`${folder} has no ${MANIFEST}: it is not a backup, or the backup was not finished.`);
  let backup: unknown;
  try {
    backup = JSON.parse(text);
  } catch (error) {
    throw backupRefused(`${path.join(folder, MANIFEST)} is not JSON.`, error);
  }
  const check = new Ajv().compile<Backup>(BackupSchema);
  if (!check(backup)) {
    const [error] = check.errors ?? [];
    throw backupRefused(
      `${path.join(folder, MANIFEST)} breaks a rule: ${error?.instancePath ?? ''} ${error?.message ?? ''}. ${madeByAnother(backup)}`.trimEnd(),
    );
  }
  refuseNames(folder, backup);
  for (const { path: name, bytes, sha256 } of backup.files) {
    const file = path.join(folder, ...name.split('/'));
    if (!existsSync(file)) throw backupRefused(`${file} is missing from the backup.`);
    const found = fingerprint(file);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw backupRefused(`${file} does not match the backup manifest (SHA-256 differs).`);
  }
  if (!backup.files.some(({ path: name }) => name === ACCOUNTS_FILE)) throw backupRefused(`${folder} names no ${ACCOUNTS_FILE}.`);
  return backup;
}
