import * as tf from '@tensorflow/tfjs-core';
import { ServiceError } from '../../core/ServiceError.ts';
import type { BackendCandidate, BackendName, CardFault, ProcessEnvironment, Runtime } from './Runtime.ts';
import { wasmBackend } from './wasmBackend.ts';
import { registerFusedLstm, registerFusedLstmGradient, writeTensor } from './lstm/fusedLSTM.ts';
import { LoopLstmProgram } from './lstm/LoopLstmProgram.ts';
import { registerLstmSummaryGradient } from './lstm/lstmSummary.ts';
import { cudaBackend } from './cuda/cudaBackend.ts';
import { nativeBackend, tensorflowCudaBackend } from './nativeBackend.ts';
import { probeInChild, type ProbeOptions, type ProbeReport } from './probeInChild.ts';

/** Plain JavaScript: slow, exact enough as a reference, and available wherever JavaScript runs. */
const cpuBackend: BackendCandidate = {
  name: 'cpu',
  isNative: false,
  missing: () => undefined,
  async open() {
    await import('@tensorflow/tfjs-backend-cpu');
    if (!(await tf.setBackend('cpu'))) throw new Error('TensorFlow.js did not accept its cpu backend');
    registerFusedLstm('cpu', new LoopLstmProgram(), {
      read: (backend, tensor) => backend.readSync(tensor.dataId) as Float32Array,
      write: writeTensor,
    });
    return { description: `cpu: plain JavaScript, TensorFlow.js ${tf.version_core}` };
  },
};

/** Best first. A new backend is one file and one entry here. */
export const BACKENDS: readonly BackendCandidate[] = [cudaBackend, tensorflowCudaBackend, nativeBackend, wasmBackend, cpuBackend];
/**
 * For `auto`. Native TensorFlow on the CPU has to be named: only networks three times as large as the shipped one train faster with it
 * (docs/benchmarks/training.md), and native code needs its own process, more memory and more time to start (docs/benchmarks/topology.md).
 */
const AUTOMATIC = BACKENDS.filter((candidate) => candidate !== nativeBackend);

/**
 * The candidates for serving. `auto` skips our kernels on an NVIDIA card, with which training is faster, but a service answers no more requests
 * (docs/benchmarks/cuda.md).
 */
export function servingBackends(want: 'auto' | BackendName): readonly BackendCandidate[] {
  return want === 'auto' ? AUTOMATIC.filter((candidate) => candidate !== cudaBackend) : BACKENDS;
}

export type OpenOptions = {
  /** Environment of this process. Native code reads it when it is loaded, and the native candidate sets it to hide the GPU. */
  readonly environment?: ProcessEnvironment;
  /** Probes a native candidate in a child process. Returns undefined to skip the probe, for a caller that has already run it. */
  readonly probe?: (candidate: BackendName) => Promise<ProbeReport | undefined>;
  /** Time limit of one probe. */
  readonly probeMs?: number;
  /** Candidates, best first. Default: all, for `auto` all but `native`. */
  readonly ladder?: readonly BackendCandidate[];
  /** Default: a warning of the process. */
  readonly onCardFault?: (fault: CardFault) => void;
};

let gradientRegistered = false;

/**
 * Opens the wanted backend, or with `auto` the best one that passes its probe, and makes it the default of TensorFlow.js.
 * A process may open several one after the other; the last one is the default.
 *
 * @throws ServiceError `runtime.refused` with the reason if the wanted one (or every one) cannot be used
 */
export async function openRuntime(want: 'auto' | BackendName, options: OpenOptions = {}): Promise<Runtime> {
  const { environment, probeMs, ladder = want === 'auto' ? AUTOMATIC : BACKENDS } = options;
  const probe = options.probe ?? ((candidate: BackendName) => probeOnce(candidate, { environment, timeLimitMs: probeMs }));
  // Disables the advice that TensorFlow.js prints on a terminal, and its debug checks.
  if (!tf.env().getBool('PROD')) tf.enableProdMode();
  if (!gradientRegistered) {
    registerFusedLstmGradient();
    registerLstmSummaryGradient();
  }
  gradientRegistered = true;
  const refused: { candidate: string; reason: string }[] = [];
  for (const candidate of ladder) {
    if (want !== 'auto' && want !== candidate.name) continue;
    try {
      await refuseUntried(candidate, probe);
      return { backend: candidate.name, tf, refused, ...(await candidate.open(environment ?? {}, options.onCardFault)) };
    } catch (error) {
      refused.push({ candidate: candidate.name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  const reasons = refused.map(({ candidate, reason }) => `${candidate}: ${reason}`).join('; ');
  throw new ServiceError('runtime.refused', `No backend can be used (${reasons}).`);
}

const reports = new Map<BackendName, Promise<ProbeReport>>();

/** The parts do not change while a process runs, so one probe per candidate is enough. */
function probeOnce(candidate: BackendName, options: ProbeOptions): Promise<ProbeReport> {
  const report = reports.get(candidate) ?? probeInChild(candidate, options);
  reports.set(candidate, report);
  return report;
}

async function refuseUntried(candidate: BackendCandidate, probe: NonNullable<OpenOptions['probe']>): Promise<void> {
  const missing = candidate.missing();
  if (missing !== undefined) throw new Error(`${missing.reason}; ${missing.remedy}`);
  if (!candidate.isNative) return;
  const report = await probe(candidate.name);
  if (report?.works === false) throw new Error(report.reason);
}

export type BackendReport = {
  readonly backend: BackendName;
  /** `absent`: its parts are not installed; `remedy` is the command that installs them. */
  readonly report: ProbeReport | { readonly works: 'absent'; readonly reason: string; readonly remedy: string };
};

/** Probes every backend, best first, one after the other, each in its own process. Never throws. */
export async function probeBackends(environment: ProcessEnvironment): Promise<BackendReport[]> {
  const reports: BackendReport[] = [];
  for (const candidate of BACKENDS) {
    const missing = candidate.missing();
    const report = missing === undefined ? await probeInChild(candidate.name, { environment }) : { works: 'absent' as const, ...missing };
    reports.push({ backend: candidate.name, report });
  }
  return reports;
}
