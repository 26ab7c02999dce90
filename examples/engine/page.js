import { openEngine } from './tickmark-engine/index.js';

const engine = await openEngine();
const out = document.getElementById('out');
const input = document.getElementById('file');
input.disabled = false;
input.addEventListener('change', async ({ target }) => {
  try {
    const rows = (await target.files[0].text())
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    const ticks = { Timestamp: rows.map(([stamp]) => stamp), Price: rows.map(([, price]) => Number(price)) };
    const last = { Timestamp: ticks.Timestamp.slice(-500), Price: ticks.Price.slice(-500) };
    const { trend_identified, reason, detail } = await engine.forecast(last, { horizon: '60s' });
    out.textContent = `forecast: ${trend_identified ?? reason}, probability ${detail.opportunity.probability}\n`;
    let [windows, moved] = [0, 0];
    for await (const { outcome } of engine.replay(ticks, { horizon: '10s', ticks: 250 })) {
      windows++;
      if (outcome === 1) moved++;
    }
    out.textContent += `replay: ${windows} windows, ${moved} moved more than their threshold\n`;
  } catch (error) {
    out.textContent = `${error.message} ${error.remedy ?? ''}`;
  }
});
