import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RowPlan } from '../data/RowPlan.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';

export type PlaceboInput = {
  readonly model: ModelFolder;
  readonly sources: readonly TickSource[];
  readonly plan: RowPlan;
  readonly rows: RowSet;
  readonly seed: number;
};
