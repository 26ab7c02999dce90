import { CONTEXT_COLUMNS } from '../features/columns.ts';
import { FeatureBuilder } from '../features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS, type WindowMeasures, type WindowRefusal } from '../features/WindowMeasures.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';

/**
 * The only feature workspace, used by one request at a time. Requests interleave at every `await`: a request that finds the window of
 * another one reads its own window again.
 */
export class WindowSlot {
  readonly sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  readonly context = new Float32Array(CONTEXT_COLUMNS);
  readonly #builder = new FeatureBuilder();
  #owner: TickRequest | null = null;
  #measures: WindowMeasures | WindowRefusal = 'feature_not_finite';
  /** Threshold of the values in `sequence` and `context`; 0: they are not of this window. */
  #theta = 0;

  /** Measures of the request's window, valid until the next `await`. */
  read(request: TickRequest): WindowMeasures | WindowRefusal {
    if (this.#owner !== request) {
      this.#owner = null;
      this.#theta = 0;
      const { timesUs } = request.series;
      this.#measures = this.#builder.read(request.series, 0, timesUs.length, request.futureUs);
      this.#owner = request;
    }
    return this.#measures;
  }

  /** Fills `sequence` and `context` for the window of the last `read`; theta in log price. */
  write(theta: number): WindowRefusal | null {
    const refusal = this.#builder.write(theta, this.sequence, 0, this.context, 0);
    this.#theta = refusal === null ? theta : 0;
    return refusal;
  }

  /** The context columns at the default threshold of the window, valid until the next `await`; null: the window has none. */
  ownContext(request: TickRequest): Float32Array | null {
    const measures = this.read(request);
    if (typeof measures === 'string') return null;
    if (this.#theta !== measures.thetaDefault && this.write(measures.thetaDefault) !== null) return null;
    return this.context;
  }
}
