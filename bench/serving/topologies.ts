/** A process that is killed with SIGKILL; `depth` 0 is the process that the bench started, 1 a child of it, 2 a child of that one. */
export type Kill = { readonly what: string; readonly depth: 0 | 1 | 2 };

/** One way to spread the service over processes. */
export type Topology = {
  readonly letter: string;
  readonly about: string;
  readonly env: Readonly<Record<string, string>>;
  readonly kills: readonly Kill[];
};

/** Named in full, whatever the defaults are. */
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
    kills: [{ what: 'the only process, started again at once by the bench as a supervisor would', depth: 0 }],
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

/** For tables. */
export const nameOf = ({ letter, about }: Topology): string => `${letter} ${about}`;

/** Stands in the list of chosen sides for FastAPI. */
export const PEER_LETTER = 'P';

/** Throws where a letter is none of them. */
export function chosenLetters(sides: string | undefined): string[] {
  const letters = [...TOPOLOGIES.map(({ letter }) => letter), PEER_LETTER];
  const chosen = sides?.split(',') ?? letters;
  const unknown = chosen.filter((letter) => !letters.includes(letter));
  if (unknown.length > 0)
    throw new Error(`--sides takes letters of ${letters.join(',')} with commas between them; it holds ${unknown.join()}.`);
  return chosen;
}
