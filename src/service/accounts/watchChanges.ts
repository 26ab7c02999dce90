import { MongoServerError, type ChangeStream, type Collection, type Document } from 'mongodb';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';

export type WatchChangesOptions = {
  /** Called with the `_id` of each changed document. */
  onChange(id: unknown): void;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

type Watched = Pick<Collection, 'collectionName'> & {
  watch(pipeline: Document[]): Pick<ChangeStream<Document, Document>, 'close' | 'tryNext'> & AsyncIterable<Document>;
};

/** Pause before a stream that broke is opened again. */
const RETRY_MS = 5000;
/** The answer need not contain the documents, which hold digests. */
const PIPELINE = [{ $project: { documentKey: 1 } }];

/**
 * Follows the changes that any process makes in a collection, if the server has change streams; if it refuses them, this ends with a log
 * line, and the caller's polling remains. Returns a function that stops it.
 */
export function watchChanges(collection: Watched, { onChange, clock, logger }: WatchChangesOptions): () => void {
  let isStopped = false;
  let hasOpened = false;
  let hasWarned = false;
  let stop = (): void => {};
  const follow = async (): Promise<void> => {
    const stream = collection.watch(PIPELINE);
    stop = () => void stream.close().catch(() => {});
    const report = ({ documentKey }: Document): void => {
      hasWarned = false;
      onChange((documentKey as { _id?: unknown } | undefined)?._id);
    };
    try {
      const first = await stream.tryNext();
      hasOpened = true;
      if (first !== null) report(first);
      for await (const change of stream) report(change);
    } catch (error) {
      if (isStopped) return;
      const name = collection.collectionName;
      // The driver resumes after a lost connection and a new primary. A stream still ends if its history is lost (error 286).
      if (error instanceof MongoServerError && !hasOpened)
        return logger.info('the database has no change streams; polling', { collection: name, reason: error.message });
      if (!hasWarned) logger.warn('change stream broken; polling until it is open again', { collection: name, reason: String(error) });
      hasWarned = true;
    }
    // Also if the collection was dropped, which ends a stream.
    if (!isStopped) stop = clock.after(RETRY_MS, () => void follow());
  };
  void follow();
  return () => {
    isStopped = true;
    stop();
  };
}
