import { existsSync } from 'node:fs';
import * as path from 'node:path';

/** Folder of real tick files beside a checkout; tests on them skip with this reason where it is absent. */
export const REAL_TICKS_DIR = path.resolve(import.meta.dirname, '../../../shared/data');
export const hasRealTicks = existsSync(path.join(REAL_TICKS_DIR, 'index.json'));
export const REAL_TICKS_SKIPPED = 'real ticks are not here: ../shared/data is absent';
