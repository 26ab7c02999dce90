/**
 * Loaded before a built service (`node --import`), keeps it from sending whole windows to the inference process: it sends rows only. The service sends a
 * window while few items are in flight, and reads their number here. A window that is sent all the same fails, so that the bench reports it.
 */
const dist = new URL('../../dist/src/', import.meta.url);
const { Batcher } = await import(new URL('batching/Batcher.js', dist).href);
const { NetworkChild } = await import(new URL('inference/child/NetworkChild.js', dist).href);

for (const [{ prototype }, name] of [
  [Batcher, 'running'],
  [NetworkChild, 'hand'],
])
  if (!Object.hasOwn(prototype, name)) throw new Error(`withoutWindows.mjs does not fit this service: there is no "${name}".`);

Object.defineProperty(Batcher.prototype, 'running', { get: () => Infinity });
NetworkChild.prototype.hand = () => Promise.reject(new Error('a window was sent to the inference process'));
