import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../../src/core/Clock.ts';
import { MS_PER_SECOND } from '../../src/core/units.ts';
import { DRAFT_END, TickStoreReader, TickStoreWriter, writeFileAtomic } from './TickStore.ts';
import { summaryFromJson, summaryToJson, type TickSummary } from './TickSummary.ts';

const TICKS_END = '.ticks';
const SUMMARY_END = '.json';
/** A draft without writes for this time, one day, belongs to a killed process. */
const DRAFT_LIFE_S = 86_400;

/**
 * Ticks of parsed files: `<sha256>.ticks` in `folder`, named by the hash of the file and its reading options, with a JSON summary next to
 * it. Incomplete files are ignored. Two processes may use one folder: each writes its own drafts, and the last one to finish sets the name.
 */
export class TickCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  ticksFile(sha256: string): string {
    return path.join(this.#folder, sha256 + TICKS_END);
  }

  /** Whether the cache has a file with this number of source bytes. If not, there is no need to hash the file. */
  holdsSize(sourceBytes: number): boolean {
    return this.#names(TICKS_END).some((name) => headerOf(path.join(this.#folder, name))?.sourceBytes === sourceBytes);
  }

  /** The summary of the file with this hash; marks it as used. undefined if the file must be read. */
  find(sha256: string): TickSummary | undefined {
    const file = this.ticksFile(sha256);
    const header = headerOf(file);
    if (header?.sha256 !== sha256) return undefined;
    let text: string;
    try {
      text = readFileSync(this.#summaryFile(sha256), 'utf8');
    } catch {
      return undefined;
    }
    const summary = summaryFromJson(text, header.rows);
    if (summary !== undefined) touch(file);
    return summary;
  }

  writer(): TickStoreWriter {
    return new TickStoreWriter(this.#folder);
  }

  /** Commits `writer` and stores the summary. Throws ServiceError file.unwritable and leaves no partial file. */
  keep(writer: TickStoreWriter, sha256: string, sourceBytes: number, summary: TickSummary): void {
    writeFileAtomic(this.#summaryFile(sha256), [summaryToJson(summary)]);
    writer.commit(this.ticksFile(sha256), { sourceBytes, sha256 });
  }

  /** Removes the least recently used files until `maxBytes` are left, except those in `kept`, and the drafts of killed processes. */
  prune(maxBytes: number, kept: ReadonlySet<string>): void {
    const nowS = systemClock.nowMs() / MS_PER_SECOND;
    for (const name of this.#names(DRAFT_END)) {
      const file = path.join(this.#folder, name);
      if (nowS - stampOf(file).usedS > DRAFT_LIFE_S) rmSync(file, { force: true });
    }
    const held = this.#names(TICKS_END).map((name) => ({
      sha256: name.slice(0, -TICKS_END.length),
      ...stampOf(path.join(this.#folder, name)),
    }));
    let bytes = held.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of held.sort((a, b) => a.usedS - b.usedS)) {
      if (bytes <= maxBytes) break;
      if (kept.has(file.sha256)) continue;
      rmSync(this.ticksFile(file.sha256), { force: true });
      rmSync(this.#summaryFile(file.sha256), { force: true });
      bytes -= file.bytes;
    }
  }

  #summaryFile(sha256: string): string {
    return path.join(this.#folder, sha256 + SUMMARY_END);
  }

  #names(end: string): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith(end));
    } catch {
      return [];
    }
  }
}

function headerOf(file: string): TickStoreReader['header'] | undefined {
  const reader = TickStoreReader.open(file);
  reader?.close();
  return reader?.header;
}

function touch(file: string): void {
  try {
    const nowS = systemClock.nowMs() / MS_PER_SECOND;
    utimesSync(file, nowS, nowS);
  } catch {
    // The files of a read-only folder can still be used.
  }
}

/** Ignores a file that another process has removed. */
function stampOf(file: string): { bytes: number; usedS: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { bytes: found?.size ?? 0, usedS: (found?.mtimeMs ?? Infinity) / MS_PER_SECOND };
}
