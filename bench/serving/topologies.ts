/** A process that is killed with SIGKILL; `depth` 0 is the process that the bench started, 1 a child of it, 2 a child of that one. */
export type Kill = { readonly what: string; readonly depth: 0 | 1 | 2 };

/** A topology: a way to distribute the service over processes. */
export type Topology = {
  readonly letter: string;
  readonly about: string;
  readonly env: Readonly<Record<string, string>>;
  readonly kills: readonly Kill[];
};

/** All settings are explicit, so that they do not depend on the defaults. */
const settings = (workers: 1 | 2, hasInferenceProcess: boolean): Topology['env'] => ({
  WORKERS: String(workers),
  INFERENCE_PROCESS: String(hasInferenceProcess),
});
const INFERENCE: Kill = { what: 'inference process', depth: 1 };
const WORKER: Kill = { what: 'worker process', depth: 1 };

export const TOPOLOGIES: readonly Topology[] = [
  {
    letter: 'A',
    about: 'one process',
    env: settings(1, false),
    kills: [{ what: 'the only process, restarted immediately by the bench as by a supervisor', depth: 0 }],
  },
  { letter: 'B', about: 'two in-process workers', env: settings(2, false), kills: [WORKER] },
  { letter: 'C', about: 'service and inference process', env: settings(1, true), kills: [INFERENCE] },
  {
    letter: 'D',
    about: 'two workers, each with an inference process',
    env: settings(2, true),
    kills: [WORKER, { ...INFERENCE, depth: 2 }],
  },
];

/** Name in tables. */
export const nameOf = ({ letter, about }: Topology): string => `${letter} ${about}`;

/** The letter of FastAPI in the list of sides. */
export const PEER_LETTER = 'P';

/** Throws for an unknown letter. */
export function chosenLetters(sides: string | undefined): string[] {
  const letters = [...TOPOLOGIES.map(({ letter }) => letter), PEER_LETTER];
  const chosen = sides?.split(',') ?? letters;
  const unknown = chosen.filter((letter) => !letters.includes(letter));
  if (unknown.length > 0) throw new Error(`--sides accepts a comma-separated list of ${letters.join(',')}; unknown: ${unknown.join()}.`);
  return chosen;
}
