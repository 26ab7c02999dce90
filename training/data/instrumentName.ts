import * as path from 'node:path';
import { tickFileStem } from '../../src/import/tickFileName.ts';

/** The name of a series: its file name without folder and extensions. */
export const instrumentName = (file: string): string => tickFileStem(path.basename(file));
