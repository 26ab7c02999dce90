import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { atEnd } from './atEnd.ts';

/** A new folder, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-test-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
