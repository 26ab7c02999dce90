import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../../src/core/Clock.ts';
import { MS_PER_SECOND } from '../../src/core/units.ts';
import { DRAFT_END, TickStoreReader } from './TickStore.ts';

const TICKS_END = '.ticks';
/** A draft without writes for this time, one day, belongs to a killed process. */
const DRAFT_LIFE_S = 86_400;

/**
 * Ticks of parsed files: `<key>.ticks` in `folder`. Incomplete files are ignored. Two processes may use one folder: each writes its own
 * drafts, and the last one to finish sets the name.
 */
export class TickCache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  fileOf(key: string): string {
    return path.join(this.folder, key + TICKS_END);
  }

  /** The ticks of this key, which are noted as used; undefined if their source must be read. */
  open(key: string): TickStoreReader | undefined {
    const reader = TickStoreReader.open(this.fileOf(key));
    const nowS = systemClock.nowMs() / MS_PER_SECOND;
    try {
      if (reader !== undefined) utimesSync(this.fileOf(key), nowS, nowS);
    } catch {
      // The files of a read-only folder can still be used.
    }
    return reader;
  }

  /** Removes the least recently used files until `maxBytes` are left, except those in `kept`, and the drafts of killed processes. */
  prune(maxBytes: number, kept: ReadonlySet<string>): void {
    const nowS = systemClock.nowMs() / MS_PER_SECOND;
    for (const draft of this.#held(DRAFT_END)) if (nowS - draft.usedS > DRAFT_LIFE_S) rmSync(draft.file, { force: true });
    const held = this.#held(TICKS_END);
    let bytes = held.reduce((sum, file) => sum + file.bytes, 0);
    for (const { key, file, bytes: freed } of held) {
      if (bytes <= maxBytes) break;
      if (kept.has(key)) continue;
      rmSync(file, { force: true });
      bytes -= freed;
    }
  }

  /** Files with this end, the least recently used first. */
  #held(end: string): { key: string; file: string; bytes: number; usedS: number }[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(end))
      .map((name) => {
        const file = path.join(this.folder, name);
        // Another process may have removed it.
        const found = statSync(file, { throwIfNoEntry: false });
        return { key: name.slice(0, -end.length), file, bytes: found?.size ?? 0, usedS: (found?.mtimeMs ?? Infinity) / MS_PER_SECOND };
      })
      .sort((a, b) => a.usedS - b.usedS);
  }
}
