import * as path from 'node:path';
import type { Golden } from '../../src/engine/model/modelFiles.ts';
import type { NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import type { Side, SideMissing } from './Side.ts';
import { freePort, startProcess, untilListening, type StartedProcess } from './startProcess.ts';

const FOLDER = path.join(import.meta.dirname, '../peers/serving');
const PEER_KEYS = Array.from({ length: 8 }, (_, i) => `peer-key-${i}`);
/** Largest allowed difference of a peer's logit from the golden row. */
const TOLERANCE = 1e-5;

export type PeerModel = {
  /** ONNX file of the network. */
  readonly modelFile: string;
  /** File of the golden rows of the version. */
  readonly goldenFile: string;
  readonly golden: Golden;
  readonly spec: NetworkSpec;
};

/** The first output line of a peer: its runtime, and its logits [3K] for each golden row. */
type Hello = { readonly runtime: string; readonly logits: readonly (readonly number[])[] };

/** A service as one would write it with FastAPI and ONNX Runtime. */
const NAME = 'FastAPI';
const REMEDY = 'python3 -m pip install -r bench/peers/serving/requirements.txt, or set PEERS_PYTHON to a Python that has these packages';

/** Starts the peer with the weights of the served version. Resolves when its golden rows are correct. */
export async function startPeer(model: PeerModel): Promise<Side | SideMissing> {
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
    started = await startProcess(process.env['PEERS_PYTHON'] ?? 'python3', ['server_fastapi.py'], env, FOLDER);
  } catch (error) {
    return { name: NAME, missing: `${(error as Error).message} (${REMEDY})` };
  }
  const { child, firstLine } = started;
  const { runtime, logits } = JSON.parse(firstLine) as Hello;
  const worst = furthest(logits, model);
  if (!(worst <= TOLERANCE)) {
    child.kill('SIGKILL');
    throw new Error(`${NAME}: a logit of the golden rows differs by ${worst}`);
  }
  await untilListening(port);
  return { name: NAME, port, keys: PEER_KEYS, process: child, runtime, furthestLogit: worst };
}

/** Largest difference of a logit; NaN if a row or a logit is missing. */
function furthest(logits: Hello['logits'], { golden, spec: { heads: K } }: PeerModel): number {
  const distances = golden.rows.flatMap(({ head, baselineLogit, residualLogit, directionLogit }, row) =>
    [baselineLogit, residualLogit, directionLogit].map((ours, part) => Math.abs(ours - (logits[row]?.[part * K + head] ?? NaN))),
  );
  return Math.max(...distances);
}
