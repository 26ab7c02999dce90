import type { Asking } from '../../batching/Batcher.ts';
import type { Clock } from '../../core/Clock.ts';
import type { WindowRefusal } from '../../features/WindowMeasures.ts';
import type { NetworkProgram } from '../../inference/InferenceHost.ts';
import type { ServedModel } from '../../model/ModelManifest.ts';
import type { BareVerdict } from '../WindowJudgement.ts';
import { readVerdict, type SentVerdict } from './verdictBytes.ts';
import { windowParcel, type WindowQuestion } from './windowParcel.ts';

/**
 * With so much in hand the other process is what all wait for: here it is computed sooner. Two batches of the largest worthwhile size or so; on two
 * processors 10 to 28 were within noise of one another at 8 to 32 connections.
 */
const MOST_IN_HAND = 24;

/**
 * Whether the process of the network had better compute a window's features and rules too, or the thread of requests. `others`: forecasts that are under way
 * beside this one. Without any, this thread could only wait: for a caller alone nothing is quicker than to compute here.
 */
export function isWorthHanding(others: number, { inHand }: Pick<NetworkProgram, 'inHand'>): boolean {
  return others > 0 && inHand < MOST_IN_HAND;
}

export type RemoteVerdict = Pick<SentVerdict, 'ownContext'> & { readonly verdict: BareVerdict | WindowRefusal };

/**
 * Has a window judged by the program that runs the networks (WindowJudge): the verdict of judgeThreshold without its proof. Its time of the network is that
 * of the whole way less features and rules. Throws what the host throws, and ServiceError `inference.failed` as judgeThreshold does.
 */
export async function judgeRemotely(
  program: Pick<NetworkProgram, 'hand'>,
  clock: Clock,
  { networkId }: ServedModel,
  question: WindowQuestion,
  asking: Asking | undefined,
): Promise<RemoteVerdict> {
  const askedMs = clock.monotonicMs();
  const { verdict, ownContext } = readVerdict(await program.hand(networkId, windowParcel(question), asking));
  if (typeof verdict === 'string') return { verdict, ownContext };
  const networkMs = Math.max(0, clock.monotonicMs() - askedMs - verdict.featuresMs - verdict.rulesMs);
  return { verdict: { ...verdict, networkMs }, ownContext };
}
