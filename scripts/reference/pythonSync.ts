/** From the async client of Python to the sync one; in this order. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/_run_async/g, '_run_sync'],
  [/The async client\. .*/, 'The sync client: written from _async.py by `npm run docs:reference`."""'],
  [/_async_account/g, '_sync_account'],
  [/AsyncAccount/g, 'Account'],
  [/of the async client\. .*/, 'of the sync client: written from _async_account.py by `npm run docs:reference`."""'],
  [/AsyncIterator, Iterable/g, 'Iterable, Iterator'],
  [/AsyncIterator/g, 'Iterator'],
  [/AsyncTickmark/g, 'Tickmark'],
  [/httpx\.Async(BaseTransport|Client)/g, 'httpx.$1'],
  [/\bLive\b/g, 'SyncLive'],
  [/`async with`/g, '`with`'],
  [/\b__a(enter|exit)__/g, '__$1__'],
  [/\baclose\b/g, 'close'],
  [/\basync (def|for|with)/g, '$1'],
  [/\baread\b/g, 'read'],
  [/\bawait /g, ''],
];

/** clients/python/src/tickmark/_sync.py and _sync_account.py: the async client without its async. */
export const pythonSync = (text: string): string =>
  CHANGES.reduce((made, [pattern, replacement]) => made.replace(pattern, replacement), text);
