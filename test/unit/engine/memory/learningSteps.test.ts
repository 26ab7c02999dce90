import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../src/core/packageRoot.ts';

describe('the steps of learning', () => {
  let steps: Record<string, number>;

  before(() => {
    const script = path.join(packageRoot(), 'test', 'support', 'learningSteps.ts');
    steps = JSON.parse(
      execFileSync(process.execPath, ['--import', 'tsx', script], { cwd: packageRoot(), encoding: 'utf8' }),
    ) as typeof steps;
  });

  const of = (part: string): [string, number][] => Object.entries(steps).filter(([name]) => name.includes(part));

  it('follow the number of ticks and bars, whatever time lies between them', () => {
    // Each of them ends a minute and moves of all horizons up to it.
    const usual = steps['ticks 61 s apart'];
    const all = of(' apart');
    expect(all.length).to.be.above(25);
    expect(all.filter(([, count]) => count > 3 * usual)).to.deep.equal([]);
  });

  it('of a forecast do not follow its horizon', () => {
    const all = of('what it says of ');
    expect(all.map(([name]) => name)).to.include('what it says of 3153600000 s');
    expect(all.filter(([, count]) => count > 5000)).to.deep.equal([]);
  });
});
