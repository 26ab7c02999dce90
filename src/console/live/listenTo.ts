import { LiveRefusedError, type LiveMessage } from '../../../clients/typescript/src/index.ts';

/** How a session on a feed has ended. */
export type FeedEnd = { readonly phase: 'ended' | 'refused' | 'failed'; readonly fault: string | null };

/** Close code of a key that was not accepted, was revoked or has ended. */
const KEY_REFUSED = 4401;

/** Reads the feed until it ends. Never rejects. */
export async function listenTo(
  feed: AsyncIterable<LiveMessage>,
  read: (message: LiveMessage) => void,
  finish: (end: FeedEnd) => void,
): Promise<void> {
  try {
    for await (const message of feed) read(message);
    finish({ phase: 'ended', fault: null });
  } catch (error) {
    if (error instanceof LiveRefusedError && error.code === KEY_REFUSED) finish({ phase: 'refused', fault: null });
    else finish({ phase: 'failed', fault: error instanceof Error ? error.message : String(error) });
  }
}
