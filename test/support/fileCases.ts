import { COLUMN_CASES } from './columnCases.ts';
import { DOUBTFUL_FILE_CASES } from './doubtfulFileCases.ts';
import type { FileCase } from './fileCase.ts';
import { ODD_FILE_CASES } from './oddFileCases.ts';
import { SOURCE_CASES } from './sourceCases.ts';
import { STAMP_CASES } from './stampCases.ts';

/** Layouts of sources, exchanges and recorders, and mishaps that people report: each is read right, or refused with a way to a right reading. */
export const FILE_CASES: readonly FileCase[] = [
  ...SOURCE_CASES,
  ...STAMP_CASES,
  ...COLUMN_CASES,
  ...ODD_FILE_CASES,
  ...DOUBTFUL_FILE_CASES,
];
