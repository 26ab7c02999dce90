import type { ChildRole } from './procStat.ts';

/** A process that is killed with SIGKILL: the one that the bench started, or a child of it. */
export type Kill = { readonly what: string; readonly role: 'service' | ChildRole };

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
const INFERENCE: Kill = { what: 'inference process', role: 'inference' };
const WORKER: Kill = { what: 'worker process', role: 'worker' };

export const TOPOLOGIES: readonly Topology[] = [
  {
    letter: 'A',
    about: 'one process',
    env: settings(1, false),
    kills: [{ what: 'the only process, started again at once by the bench as a supervisor would', role: 'service' }],
  },
  { letter: 'B', about: 'two in-process workers', env: settings(2, false), kills: [WORKER] },
  { letter: 'C', about: 'service and inference process', env: settings(1, true), kills: [INFERENCE] },
  {
    letter: 'D',
    about: 'two workers sharing one inference process',
    env: settings(2, true),
    kills: [WORKER, INFERENCE],
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
