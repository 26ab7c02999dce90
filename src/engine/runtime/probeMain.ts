import { endWithParent } from '../../core/childProcess.ts';
import { installRoot } from '../../core/packageRoot.ts';
import { nativeParts } from './nativeParts.ts';
import { openNativeParts } from './nativeBackend.ts';
import { openRuntime } from './openRuntime.ts';
import { explainProbeError, type ProbeReport } from './probeInChild.ts';
import { probeFusedLstm } from './lstm/probeFusedLstm.ts';
import type { BackendName } from './Runtime.ts';

/**
 * The child of probeInChild. Opens the candidate named by its argument (`native`, `cuda`; or `setup:cpu`, `setup:cuda` for parts that are
 * not verified yet, on the CPU), compares and times it, and sends one ProbeReport.
 */
async function probe(candidate: string): Promise<ProbeReport> {
  try {
    const description = await openCandidate(candidate);
    return { works: true, description, forwardMs: probeFusedLstm() };
  } catch (error) {
    return { works: false, reason: explainProbeError(error) };
  }
}

async function openCandidate(candidate: string): Promise<string> {
  const variant = /^setup:(cpu|cuda)$/.exec(candidate)?.[1] as 'cpu' | 'cuda' | undefined;
  if (variant === undefined) return (await openRuntime(candidate as BackendName, { probe: async () => undefined })).description;
  await openRuntime('cpu');
  return (await openNativeParts({ parts: nativeParts(installRoot(), variant) }, 'cpu', {})).description;
}

// Called before native code, which may hang.
await endWithParent();
process.send?.(await probe(process.argv[2] ?? ''), () => process.exit(0));
