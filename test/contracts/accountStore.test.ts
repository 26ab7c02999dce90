import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { openNamedStore } from '../support/openNamedStore.ts';
import { describeAccountStore } from './accountStore.ts';

describeAccountStore('SQLite', async () => {
  const place = mkdtempSync(path.join(tmpdir(), 'tickmark-store-'));
  return {
    open: () => openNamedStore('sqlite', place),
    durable: { kind: 'sqlite', place },
    dispose: async () => rmSync(place, { recursive: true, force: true }),
  };
});
