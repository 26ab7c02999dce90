import { CONTEXT_COLUMN_NAMES } from '../../src/engine/features/columns.ts';

/** One line of the list of trials. Settings that are left out are those of the run file. */
export type Trial = {
  readonly id: string;
  /** What the trial changes, in a few words. */
  readonly about: string;
  /** The residuals of the shipped base, from its published probabilities. Nothing is trained. */
  readonly published?: boolean;
  /** Residuals of finished trials that are added, each with a factor for each head, fitted on the other groups. Nothing is trained. */
  readonly mix?: readonly string[];
  /** Fixed factors of the members of a mix, in place of fitted ones. */
  readonly weights?: readonly number[];
  /** A finished trial whose residuals count in the heads that this one does not train. */
  readonly on?: string;
  /** Without the sequence: this many units over the context columns for each head. */
  readonly context?: number;
  /** Networks whose residuals are averaged. */
  readonly seeds?: number;
  /** One network for all heads that are trained, in place of one for each. */
  readonly pool?: boolean;
  /** Units are trained on the probabilities of boosted trees, in place of the outcomes; heads beyond 3 min share theirs. */
  readonly imitate?: boolean;
  /** The boosted trees themselves. */
  readonly trees?: boolean;
  /** Only these groups of context columns, by the start of their name or the name of their table. */
  readonly keep?: readonly string[];
  readonly units?: number;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly learningRate?: number;
  readonly weightDecay?: number;
  readonly seed?: number;
  /** Every n-th training row. */
  readonly every?: number;
  /** Only rows of these heads are trained. */
  readonly heads?: readonly number[];
  /** Rows of these heads are trained, if they are others than those that are predicted. */
  readonly rowsOf?: readonly number[];
  /** Context columns that the units do not read. */
  readonly drop?: readonly string[];
};

const KNOWN = new Set(CONTEXT_COLUMN_NAMES);

/** Reads a list with one JSON object per line. Throws RangeError for a repeated id or an unknown column. */
export function parseTrials(text: string): Trial[] {
  const trials = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Trial);
  const ids = new Set<string>();
  for (const { id, drop = [], mix, weights } of trials) {
    if (weights !== undefined && weights.length !== mix?.length)
      throw new RangeError(`Trial ${id} has ${weights.length} weights for ${mix?.length ?? 0} members.`);
    if (ids.has(id)) throw new RangeError(`The list of trials has ${id} twice.`);
    ids.add(id);
    const unknown = drop.find((name) => !KNOWN.has(name));
    if (unknown !== undefined) throw new RangeError(`Trial ${id} drops ${unknown}, which is no column.`);
  }
  return trials;
}
