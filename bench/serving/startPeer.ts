import * as path from 'node:path';
import type { Golden } from '../../src/model/modelFiles.ts';
import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { Side, SideMissing } from './Side.ts';
import { freePort, startProcess, untilListening, type StartedProcess } from './startProcess.ts';

const FOLDER = path.join(import.meta.dirname, '../peers/serving');
export const PEER_KEYS = Array.from({ length: 8 }, (_, i) => `peer-key-${i}`);
/** Largest distance of a peer's logit from the one in the version's folder. */
const TOLERANCE = 1e-5;

export type PeerModel = {
  /** ONNX file of the served network. */
  readonly modelFile: string;
  /** Golden rows of the version. */
  readonly goldenFile: string;
  readonly golden: Golden;
  readonly spec: NetworkSpec;
};

/** Its first line: who it is, and the logits [3K] that it gave for each golden row. */
type Hello = { readonly runtime: string; readonly logits: readonly (readonly number[])[] };

type Program = { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly remedy: string };

export const PEERS: readonly Program[] = [
  {
    name: 'FastAPI',
    command: process.env['PEERS_PYTHON'] ?? 'python3',
    args: ['server_fastapi.py'],
    remedy: 'python3 -m pip install -r bench/peers/serving/requirements.txt, or name a Python that has them in PEERS_PYTHON',
  },
  {
    name: 'node:http',
    command: process.execPath,
    args: ['server_node.mjs'],
    remedy: 'npm i --ignore-scripts --prefix bench/peers/serving, or name a folder with onnxruntime-node in PEERS_JS',
  },
];

/** Starts a peer on the weights of ours; it answers once it has computed the golden rows as they are. */
export async function startPeer({ name, command, args, remedy }: Program, model: PeerModel): Promise<Side | SideMissing> {
  const port = await freePort();
  const env = {
    PORT: String(port),
    MODEL_FILE: model.modelFile,
    GOLDEN_FILE: model.goldenFile,
    KEYS: PEER_KEYS.join(),
    OPENBLAS_NUM_THREADS: '1',
  };
  let started: StartedProcess;
  try {
    started = await startProcess(command, args, env, FOLDER);
  } catch (error) {
    return { name, missing: `${(error as Error).message} (${remedy})` };
  }
  const { child, firstLine } = started;
  const { runtime, logits } = JSON.parse(firstLine) as Hello;
  const worst = furthest(logits, model);
  if (!(worst <= TOLERANCE)) {
    child.kill('SIGKILL');
    throw new Error(`${name}: a logit of the golden rows is ${worst} from ours`);
  }
  await untilListening(port);
  return { name, port, keys: PEER_KEYS, process: child, runtime, furthestLogit: worst };
}

/** NaN where a row or a logit is missing. */
function furthest(logits: Hello['logits'], { golden, spec: { heads: K } }: PeerModel): number {
  const distances = golden.rows.flatMap(({ head, baselineLogit, residualLogit, directionLogit }, row) =>
    [baselineLogit, residualLogit, directionLogit].map((ours, part) => Math.abs(ours - (logits[row]?.[part * K + head] ?? NaN))),
  );
  return Math.max(...distances);
}
