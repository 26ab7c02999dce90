import { createHash } from 'node:crypto';
import { GridFSBucket, type Db, type ObjectId } from 'mongodb';
import { ServiceError } from '../../../core/ServiceError.ts';
import { MAX_FILE_BYTES } from '../modelFiles.ts';
import type { StoredFile, StoredVersion } from './mongoRecords.ts';

const BUCKET = 'model_files';
/** Files that no version names are removed after this time: a push that writes them now names them at its end. */
const ORPHAN_MS = 3_600_000;

/** The files of the versions, in GridFS. Every method throws ServiceError `store.unavailable`. */
export class StoredFiles {
  readonly #bucket: GridFSBucket;

  constructor(db: Db) {
    this.#bucket = new GridFSBucket(db, { bucketName: BUCKET });
  }

  /** The bytes, compared with their hash. Throws ServiceError `model.refused` for a missing, truncated or changed file. */
  async read(versionId: string, { name, fileId, bytes, sha256 }: StoredFile): Promise<Buffer> {
    if (bytes > MAX_FILE_BYTES) throw damagedVersion(versionId, `${name} has ${bytes} bytes, more than ${MAX_FILE_BYTES}.`);
    const chunks: Buffer[] = [];
    let read = 0;
    try {
      for await (const chunk of this.#bucket.openDownloadStream(fileId) as AsyncIterable<Buffer>) {
        read += chunk.length;
        if (read > bytes) throw damagedVersion(versionId, `${name} has more than its ${bytes} bytes.`);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      // The driver has no class of its own for a file that is missing or incomplete.
      if (/FileNotFound|chunk/i.test((error as Error).message)) throw damagedVersion(versionId, `${name} is missing or incomplete.`);
      throw unavailable(error);
    }
    const content = Buffer.concat(chunks);
    const found = sha256Of(content);
    if (found !== sha256) throw damagedVersion(versionId, `${name} has SHA-256 ${found}, but was pushed with ${sha256}.`);
    return content;
  }

  write(filename: string, content: Buffer): Promise<ObjectId> {
    return answer(
      () =>
        new Promise((resolve, reject) => {
          const stream = this.#bucket.openUploadStream(filename);
          stream.once('error', reject);
          stream.once('finish', () => resolve(stream.id));
          stream.end(content);
        }),
    );
  }

  async delete(files: readonly StoredFile[]): Promise<void> {
    for (const { fileId } of files) await this.#deleteOne(fileId);
  }

  /** Deletes files that a push or a removal left behind when it was interrupted. */
  async deleteOrphans(versions: readonly StoredVersion[], nowMs: number): Promise<void> {
    const named = new Set(versions.flatMap(({ files }) => files.map(({ fileId }) => fileId.toHexString())));
    const old = { uploadDate: { $lt: new Date(nowMs - ORPHAN_MS) } };
    for (const { _id } of await answer(() => this.#bucket.find(old).toArray()))
      if (!named.has(_id.toHexString())) await this.#deleteOne(_id);
  }

  #deleteOne(fileId: ObjectId): Promise<void> {
    return answer(() =>
      this.#bucket.delete(fileId).catch((error: Error) => {
        if (!/File not found/i.test(error.message)) throw error;
      }),
    );
  }
}

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

export function damagedVersion(id: string, why: string): ServiceError {
  return new ServiceError('model.refused', `Version ${id} of the registry in MongoDB: ${why} Push it again from a whole copy.`);
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('store.unavailable', 'The registry of model versions in MongoDB does not answer.', { cause });
}

/** The result of a call of the driver. Throws ServiceError `store.unavailable` for its errors. */
export async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ServiceError ? error : unavailable(error);
  }
}
