import { expect } from 'chai';
import { type LstmRoute, type LstmRouteName, LstmRoutes } from '../../../../../src/engine/runtime/lstm/LstmRoutes.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';

const shape = (batch: number, units = 48) => ({ batch, steps: 96, columns: 10, units });
const routeOf = (name: LstmRouteName): LstmRoute => ({
  name,
  forward: () => {
    throw new Error('not called here');
  },
});

describe('LstmRoutes', () => {
  /** Runs the current route, which takes the time and returns the value of its name. */
  function setUp(cost: Partial<Record<LstmRouteName, number>>, value: Partial<Record<LstmRouteName, number>> = {}) {
    const clock = new FakeClock();
    const names = Object.keys(cost) as [LstmRouteName, ...LstmRouteName[]];
    const routes = new LstmRoutes([routeOf(names[0]), ...names.slice(1).map(routeOf)], clock);
    const runs: LstmRouteName[] = [];
    const run = (): Float32Array => {
      const { name } = routes.routeFor(shape(1), false);
      runs.push(name);
      clock.advance(cost[name]!);
      return Float32Array.of(value[name] ?? 0.5);
    };
    return { routes, run, runs };
  }

  it('uses the first route for a shape that was not measured', () => {
    const { routes } = setUp({ block: 1, simd: 2 });
    expect(routes.routeFor(shape(1), false).name).to.equal('block');
  });

  it('uses the fastest route after a measurement, and the first one under a gradient tape', () => {
    const { routes, run } = setUp({ block: 5, cuda: 3, simd: 4 });
    const tuning = routes.measure(shape(8), run);
    expect(tuning).to.deep.equal({ ...shape(8), chosen: 'cuda', timesMs: { block: 5, cuda: 3, simd: 4 }, refused: {} });
    expect(routes.routeFor(shape(8), false).name).to.equal('cuda');
    expect(routes.routeFor(shape(8), true).name).to.equal('block');
    expect(routes.routeFor(shape(8, 64), false).name, 'another layer').to.equal('block');
  });

  it('keeps a choice up to the next larger measured batch', () => {
    const quickAlone = setUp({ block: 5, simd: 1 });
    quickAlone.routes.measure(shape(1), quickAlone.run);
    const { routes } = quickAlone;
    routes.measure(shape(32), () => {
      quickAlone.run();
      return Float32Array.of(routes.routeFor(shape(1), false).name === 'block' ? 1 : 2);
    });
    expect([1, 31, 32, 500].map((batch) => routes.routeFor(shape(batch), false).name)).to.deep.equal(['simd', 'simd', 'block', 'block']);
  });

  it('measures a shape again', () => {
    const { routes, run } = setUp({ block: 5, simd: 1 });
    routes.measure(shape(1), run);
    routes.measure(shape(1), () => Float32Array.of(routes.routeFor(shape(1), false).name === 'block' ? 1 : NaN));
    expect(routes.routeFor(shape(1), false).name).to.equal('block');
  });

  it('excludes a fast route with wrong results, and a route that throws', () => {
    const wrong = setUp({ block: 5, cuda: 1, simd: 6 }, { cuda: 0.50002 });
    const tuning = wrong.routes.measure(shape(1), wrong.run);
    expect(tuning.chosen).to.equal('block');
    expect(tuning.refused.cuda).to.match(/wrong output: 0\.50002/);
    expect(tuning.timesMs).to.deep.equal({ block: 5, simd: 6 });

    const throwing = setUp({ block: 5, simd: 1 });
    const run = (): Float32Array => {
      if (throwing.routes.routeFor(shape(1), false).name === 'simd') throw new Error('no such op');
      return throwing.run();
    };
    expect(throwing.routes.measure(shape(1), run)).to.deep.include({ chosen: 'block', refused: { simd: 'no such op' } });
  });

  it('passes on an error of the first route, and then forces no route', () => {
    const { routes } = setUp({ block: 5, simd: 1 });
    const run = (): never => {
      throw new Error('the device is gone');
    };
    expect(() => routes.measure(shape(1), run)).to.throw('the device is gone');
    expect(routes.routeFor(shape(1), false).name).to.equal('block');
  });

  it('alternates the routes', () => {
    const { routes, run, runs } = setUp({ block: 1, simd: 1 });
    routes.measure(shape(1), run);
    const timed = runs.slice(2);
    expect(timed.length).to.be.at.least(10);
    expect(timed.every((name, index) => name === (index % 2 === 0 ? 'block' : 'simd'))).to.equal(true);
  });
});
