import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { openForecaster, type OpenForecaster } from '../../src/service/app/openForecaster.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { readTicks } from '../../src/service/http/handlers/readTicks.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';

const TICKS = [199, 499, 2999] as const;
const HORIZONS_S = [10, 60, 300] as const;
/** Origins per series and length, spread evenly over the series. */
const ORIGINS = 6;

describe('real ticks of every series', function () {
  this.timeout(300_000);
  const counts = { marked: 0, unmarked: 0 };
  const reasons: Record<string, number> = {};
  const checks = compileBodyChecks();
  let open: OpenForecaster;
  before(async function () {
    if (!hasRealTicks) {
      process.stdout.write(`    skipped: ${REAL_TICKS_SKIPPED}\n`);
      this.skip();
    }
    // Weights set by hand, so that there are contributions to sum.
    open = await openForecaster(readSettings({ RULES_FILE: path.join(ROOT, 'docs/examples/rules-example.json') }));
  });
  after(async () => {
    await open?.close();
  });

  async function forecastAt(series: TickSeries, end: number, ticks: number, horizonS: number): Promise<void> {
    const from = end - ticks;
    const stamps = Array.from(series.timesUs.subarray(from, end), (us) => formatTimestamp(us));
    const body = {
      Timestamp: [...stamps, formatTimestamp((series.timesUs[end - 1] as number) + horizonS * 1e6)],
      Price: [...series.prices.subarray(from, end), 0],
    };
    const sent = readTicks(Buffer.from(JSON.stringify(body)), checks);
    const { mark, detail } = await open.forecaster.forecast(sent.ticks, { detail: true });
    const answer = JSON.parse(sent.write(mark).toString()) as object;
    expect(Object.keys(answer)).to.deep.equal([...new Set(body.Timestamp)]);
    expect(mark).to.be.oneOf([1, null]);
    expect(detail?.horizon_ms).to.equal(horizonS * 1000);
    const logit = detail?.logit;
    if (logit) expect(logit.baseline + logit.network + logit.rules).to.be.closeTo(logit.total, 1e-9);
    if (logit) expect(detail.rules.reduce((sum, rule) => sum + rule.contribution, 0)).to.be.closeTo(logit.rules, 1e-9);
    for (const { truth, contribution, text } of detail?.rules ?? []) {
      expect(truth[0] >= 0 && truth[0] <= truth[1] && truth[1] <= 1).to.equal(true);
      expect(Math.abs(contribution)).to.be.at.most(0.5);
      expect(text).not.to.match(/[{}]|NaN/);
    }
    expect((detail?.reasons.length ?? 0) === 0).to.equal(mark === 1);
    counts[mark === 1 ? 'marked' : 'unmarked']++;
    for (const { code } of detail?.reasons ?? []) reasons[code] = (reasons[code] ?? 0) + 1;
  }

  for (const file of hasRealTicks ? readdirSync(REAL_TICKS_DIR).filter((name) => name.endsWith('.csv.gz')) : ['no file'])
    it(`${file}: 200, 500 and 3000 entries, three horizons`, async () => {
      const { series, rows } = await readTickFile(path.join(REAL_TICKS_DIR, file));
      for (const ticks of TICKS)
        for (let i = 1; i <= ORIGINS; i++) {
          const end = ticks + Math.floor(((rows - ticks) * i) / ORIGINS);
          for (const horizonS of HORIZONS_S) await forecastAt(series, end, ticks, horizonS);
        }
    });

  it('marks some windows and not others', () => {
    process.stdout.write(`    real ticks: ${counts.marked} marked 1, ${counts.unmarked} null ${JSON.stringify(reasons)}\n`);
    expect(counts.marked).to.be.above(0);
    expect(counts.unmarked).to.be.above(0);
  });
});
