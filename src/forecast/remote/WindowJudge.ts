import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ModelManifest } from '../../model/ModelManifest.ts';
import type { NetworkBatch } from '../../model/Network.ts';
import type { NetworkOutput } from '../../model/NetworkSpec.ts';
import type { RuleSet } from '../../rules/RuleSet.ts';
import { WindowJudgement } from '../WindowJudgement.ts';
import { WindowSlot } from '../WindowSlot.ts';
import { verdictBytes } from './verdictBytes.ts';
import { WindowReader } from './windowParcel.ts';

/** A version as it judges windows. */
export type JudgingVersion = {
  readonly manifest: ModelManifest;
  readonly ruleSet: RuleSet;
  /** Whether its inputs are watched, and so its context columns wanted. */
  readonly wantsContext: boolean;
};

/** Rows to outputs, in their order; throws where none could be computed. */
export type RunRows = (networkId: string, batch: NetworkBatch) => readonly (NetworkOutput | ServiceError)[];

type Pending = { readonly judgement: WindowJudgement; readonly ownContext: Float32Array | null };

/**
 * Beside the networks, in their process: from windows to verdicts. Features and rules of a whole batch are computed here, window by window, so that the
 * thread of requests has time for requests. The same code as judgeThreshold, which proves an answer on that thread.
 */
export class WindowJudge {
  readonly #run: RunRows;
  readonly #clock: Clock;
  readonly #versions = new Map<string, JudgingVersion>();
  readonly #reader = new WindowReader();
  readonly #slot = new WindowSlot();
  #sequences = new Float32Array();
  #contexts = new Float32Array();
  #baselines = new Float32Array();
  #heads = new Uint8Array();

  constructor(run: RunRows, clock: Clock) {
    this.#run = run;
    this.#clock = clock;
  }

  open(networkId: string, version: JudgingVersion): void {
    this.#versions.set(networkId, version);
  }

  drop(networkId: string): void {
    this.#versions.delete(networkId);
  }

  /**
   * An answer (verdictBytes) or an error to each question (windowParcel), in their order. Throws ServiceError `model.unknown`, and what running the
   * network throws.
   */
  judge(networkId: string, questions: readonly Buffer[]): (Buffer | ServiceError)[] {
    const version = this.#versions.get(networkId);
    if (version === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
    const pending: Pending[] = [];
    const begun = questions.map((question) => {
      const next = this.#begin(version, question, pending.length, questions.length);
      if (typeof next !== 'string') pending.push(next);
      return next;
    });
    const outputs = pending.length === 0 ? [] : this.#run(networkId, this.#batchOf(pending));
    let at = 0;
    return begun.map((each) => {
      if (typeof each === 'string') return verdictBytes({ verdict: each, ownContext: null });
      return conclude(each, outputs[at++]);
    });
  }

  /** Features, rules, and the window's row among those of the batch. */
  #begin({ manifest, ruleSet, wantsContext }: JudgingVersion, question: Buffer, row: number, rows: number): Pending | RefusalOf {
    const slot = this.#slot;
    const { request, theta } = this.#reader.read(question);
    const judgement = WindowJudgement.begin({ slot, clock: this.#clock, model: { id: manifest.id, manifest }, request, theta });
    if (typeof judgement === 'string') return judgement;
    judgement.applyRules(ruleSet, false);
    const { sequence, context, baseline, head } = judgement.row;
    if (row === 0) this.#makeRoom(rows, sequence.length, context.length);
    this.#sequences.set(sequence, row * sequence.length);
    this.#contexts.set(context, row * context.length);
    this.#baselines[row] = baseline;
    this.#heads[row] = head;
    return { judgement, ownContext: wantsContext ? (slot.ownContext(request)?.slice() ?? null) : null };
  }

  #batchOf(pending: readonly Pending[]): NetworkBatch {
    const size = pending.length;
    const { sequence, context } = pending[0]!.judgement.row;
    return {
      size,
      sequence: this.#sequences.subarray(0, size * sequence.length),
      context: this.#contexts.subarray(0, size * context.length),
      baseline: this.#baselines.subarray(0, size),
      heads: this.#heads.subarray(0, size),
    };
  }

  #makeRoom(rows: number, steps: number, columns: number): void {
    if (rows <= this.#heads.length) return;
    this.#sequences = new Float32Array(rows * steps);
    this.#contexts = new Float32Array(rows * columns);
    this.#baselines = new Float32Array(rows);
    this.#heads = new Uint8Array(rows);
  }
}

type RefusalOf = Extract<ReturnType<typeof WindowJudgement.begin>, string>;

function conclude({ judgement, ownContext }: Pending, output: NetworkOutput | ServiceError | undefined): Buffer | ServiceError {
  if (output === undefined) return new ServiceError('inference.failed', 'The network gave no answer.');
  if (output instanceof ServiceError) return output;
  try {
    return verdictBytes({ verdict: judgement.conclude(output, 0), ownContext });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
