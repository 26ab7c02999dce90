// npm install tickmark-engine-0.1.0.tgz, then: node bot.js < ticks.csv   (lines of timestamp,price in UTC; prints each change of the forecast)
import { createInterface } from 'node:readline';
import { openEngine, Series } from 'tickmark-engine';

const [HORIZON, EVERY_MS] = ['60s', 5000];
const engine = await openEngine();
const series = new Series(engine);
let nextMs = 0;
let mark;
for await (const line of createInterface({ input: process.stdin })) {
  const [stamp, price] = line.split(',');
  const timeMs = Date.parse(`${stamp.replace(' ', 'T')}Z`);
  if (Number.isNaN(timeMs)) continue; // the header
  series.push([{ timeMs, price: Number(price) }]);
  if (timeMs < nextMs || series.ticks < engine.ticksFor(HORIZON)) continue;
  nextMs = timeMs + EVERY_MS;
  const { trend_identified, reason, detail } = await series.forecast({ horizon: HORIZON });
  if (trend_identified !== mark) console.log(stamp, trend_identified ?? reason, detail.opportunity.probability);
  mark = trend_identified;
}
