import { CpuMeter } from '../serving/CpuMeter.ts';
import { Generator } from '../serving/Generator.ts';
import { quantile } from '../serving/summarize.ts';
import type { ProofContext } from './Proof.ts';

const CONNECTIONS = 16;
/** Every replica compiles its code in this time: later rows would be cheaper otherwise. */
const FIRST_WARM_UP_S = 12;

export type Throughput = {
  readonly replicas: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
};

/** Throughput of 3, 2 and 1 replicas through HAProxy in a closed loop; CPU of the replicas for each forecast. Stops all but the first. */
export async function measureReplicas({ rig, keys, effort }: ProofContext, bodiesFile: string): Promise<Throughput[]> {
  const generator = new Generator();
  const rows: Throughput[] = [];
  const seconds = effort.throughputS;
  try {
    for (let replicas = rig.replicas.length; replicas >= 1; replicas--) {
      const running = rig.replicas.slice(0, replicas);
      for (const replica of rig.replicas.slice(replicas)) await rig.stop(replica);
      const load = { port: rig.proxyPort, bodiesFile, keys, connections: CONNECTIONS };
      await generator.make({ ...load, seconds: replicas === rig.replicas.length ? FIRST_WARM_UP_S : 2 });
      const meters = running.map(({ process: child }) => new CpuMeter(child?.pid ?? 0));
      const { status, latencyMs } = await generator.make({ ...load, seconds });
      const cpuMs = meters.reduce((sum, meter) => sum + meter.read(), 0);
      const answered = status.filter((each) => each === 200).length;
      const times = [...latencyMs].filter((ms) => !Number.isNaN(ms));
      rows.unshift({
        replicas,
        perSecond: answered / seconds,
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        cpuMs: cpuMs / answered,
      });
    }
  } finally {
    generator.close();
  }
  return rows;
}
