import { systemClock, type Clock } from '../core/Clock.ts';
import { compareDurations } from '../core/compareDurations.ts';
import type { LstmShape } from './LstmProgram.ts';
import type { LstmRoute, LstmRouteName, LstmTuning } from './LstmRoute.ts';
import { compareLstm } from './probeLstmProgram.ts';

/** Timed rounds of each route; the routes alternate. */
const ROUNDS = 12;

/**
 * Chooses a route for each shape. A shape without a measurement uses the first route, and so does every call under a gradient tape. A choice
 * holds from its batch size up to the next larger measured one.
 */
export class LstmRoutes {
  readonly #routes: readonly [LstmRoute, ...LstmRoute[]];
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #tunings: readonly LstmTuning[] = [];
  /** Overrides every choice during a measurement. */
  #forced: LstmRoute | undefined;

  constructor(routes: readonly [LstmRoute, ...LstmRoute[]], clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#routes = routes;
    this.#clock = clock;
  }

  routeFor(shape: LstmShape, isTaped: boolean): LstmRoute {
    if (this.#forced !== undefined) return this.#forced;
    const first = this.#routes[0];
    if (isTaped) return first;
    const known = this.#tunings.filter((tuned) => isSameLayer(tuned, shape));
    const tuning = known.findLast(({ batch }) => batch <= shape.batch) ?? known[0];
    return this.#routes.find(({ name }) => name === tuning?.chosen) ?? first;
  }

  /**
   * Times every route on one shape with `run`, which calls the kernel once and returns its values, and chooses the fastest for later calls.
   * Excludes a route that throws or whose results differ from those of the first one. Passes on an error of the first route.
   */
  measure(shape: LstmShape, run: () => Float32Array): LstmTuning {
    const runBy = (route: LstmRoute): Float32Array => {
      this.#forced = route;
      return run();
    };
    try {
      const { sound, refused } = this.#findSound(runBy);
      const sides = Object.fromEntries(sound.map((route) => [route.name, () => runBy(route)]));
      const timesMs: LstmTuning['timesMs'] = compareDurations(sides, ROUNDS, this.#clock);
      const chosen = sound.map(({ name }) => name).reduce((best, name) => (timesMs[name]! < timesMs[best]! ? name : best));
      const tuning: LstmTuning = { ...shape, chosen, timesMs, refused };
      const others = this.#tunings.filter((tuned) => tuned.batch !== shape.batch || !isSameLayer(tuned, shape));
      this.#tunings = [...others, tuning].sort((a, b) => a.batch - b.batch);
      return tuning;
    } finally {
      this.#forced = undefined;
    }
  }

  #findSound(runBy: (route: LstmRoute) => Float32Array): { sound: LstmRoute[]; refused: LstmTuning['refused'] } {
    const [first, ...others] = this.#routes;
    const expected = runBy(first).slice();
    const refused: Partial<Record<LstmRouteName, string>> = {};
    const sound = others.filter((route) => {
      try {
        compareLstm('output', runBy(route), expected, 1e-5);
        return true;
      } catch (error) {
        refused[route.name] = error instanceof Error ? error.message : String(error);
        return false;
      }
    });
    return { sound: [first, ...sound], refused };
  }
}

const isSameLayer = (a: LstmShape, b: LstmShape): boolean => a.steps === b.steps && a.columns === b.columns && a.units === b.units;
