import { existsSync } from 'node:fs';
import * as path from 'node:path';

/** Folder of real tick files next to the checkout; without it, tests skip with this reason. */
export const REAL_TICKS_DIR = path.resolve(import.meta.dirname, '../../../shared/data');
export const hasRealTicks = existsSync(path.join(REAL_TICKS_DIR, 'index.json'));
export const REAL_TICKS_SKIPPED = 'real ticks are missing: ../shared/data does not exist';

/** Folder of small files with the layouts of vendors and the faults that people report. */
export const GIVEN_FILES_DIR = path.resolve(import.meta.dirname, '../../../shared/files');
export const hasGivenFiles = existsSync(path.join(GIVEN_FILES_DIR, 'README.md'));
export const GIVEN_FILES_SKIPPED = 'the files of vendors are missing: ../shared/files does not exist';
