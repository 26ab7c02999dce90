import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as engines from '../clients/engine/src/index.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench } from './Bench.ts';

const TICKS = 500;
const FORECASTS = 1000;
const WINDOWS = 20_000;
const REPLAYED_TICKS = 200_000;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function openPacked(): Promise<engines.Engine> {
  const file = path.join(packageRoot(), 'clients/engine/dist/index.js');
  if (!existsSync(file)) execFileSync('npm', ['run', '--silent', 'pack:engine'], { cwd: packageRoot(), stdio: 'ignore' });
  const { openEngine } = (await import(pathToFileURL(file).href)) as typeof engines;
  return openEngine();
}

export const bench: Bench = {
  name: 'engine',
  about: 'The package tickmark-engine in one process of Node.js: windows of 500 synthetic ticks, each another one, with their explanation.',
  async run() {
    const startMs = cpuMs();
    const engine = await openPacked();
    const windows = Array.from({ length: FORECASTS }, (_, seed) => syntheticTicks({ seed, count: TICKS }));
    const openedMs = cpuMs();
    const each = async (): Promise<number> => {
      const fromMs = cpuMs();
      for (const window of windows) await engine.forecast(window, { horizon: '60s' });
      return (cpuMs() - fromMs) / FORECASTS;
    };
    await engine.forecast(windows[0], { horizon: '60s' });
    const firstMs = cpuMs() - openedMs;
    const [cold, warm] = [await each(), await each()];
    const series = syntheticTicks({ seed: 1, count: REPLAYED_TICKS });
    const options = { horizon: '1s', every: '2s', ticks: TICKS, last: WINDOWS };
    const [fromMs, found] = [performance.now(), engine.windowsOf(series, options)];
    let replayed = 0;
    for await (const { timeUs } of engine.replay(series, options)) replayed += Number(timeUs > 0);
    const replayS = (performance.now() - fromMs) / 1000;
    return [
      { what: 'opening and making the windows', value: openedMs - startMs, unit: 'ms of CPU' },
      { what: 'first forecast', value: firstMs, unit: 'ms of CPU' },
      { what: `each of the next ${FORECASTS}`, value: cold, unit: 'ms of CPU', target: '<= 1' },
      { what: `each of ${FORECASTS} more`, value: warm, unit: 'ms of CPU', target: '<= 1' },
      { what: `replay of ${found} windows, ${replayed} answered`, value: replayS, unit: 's', target: `<= 20 for ${WINDOWS}` },
    ];
  },
};
