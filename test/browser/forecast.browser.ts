import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { ROOT } from '../support/tickmarkProcess.ts';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, byService, dropFile, requestsOf, sees, textOf, unfold, openAdvanced } from './support/steps.ts';
import { csvOf, quotesOf, tickRows } from './support/tickFiles.ts';

consoleSuite('forecasts in the console', (suite) => {
  const takeFile = async (page: Page, rows = 6000): Promise<void> => {
    await page.locator('#file').setInputFiles(csvOf(tickRows(rows)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await answered(page);
  };

  it('asks the service about the last 500 ticks of a dropped file where the page cannot answer', async () => {
    const key = await accountOf(suite.rig.url);
    const page = await suite.open({ key });
    await byService(page);
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('/auth/ti-tick')),
      dropFile(page, 'dropped.csv', `time,price\n${tickRows(900)}`),
    ]);
    const body = sent.postDataJSON() as { Timestamp: string[]; Price: number[] };
    expect([body.Timestamp.length, body.Price.at(-1), sent.url().replace(suite.rig.url, '')]).to.deep.equal([
      501,
      0,
      '/auth/ti-tick?answer=summary&detail=full&range=0.5,0.8,0.9&touch=100.01',
    ]);
    expect(sent.url()).to.not.include(key);
    await answered(page);
    expect(await textOf(page, '#source-name')).to.equal('dropped.csv');
    expect(await textOf(page, '#source-text')).to.include('900 ticks');
    expect(await textOf(page, '#answer-place')).to.equal('Computed by the service.');
  });

  it('computes a file and its walk in the page, without a key or a request, with the answers of the service', async () => {
    const quotes = (line: string): string => {
      const [time, price] = line.split(',');
      return `${time},${Number(price) - 0.01},${Number(price) + 0.02}`;
    };
    const rows = tickRows(3000).trim().split('\n');
    const parts = ['sentences', 'figures', 'legend', 'chart-words', 'stepper-text', 'waterfall', 'quiet-rules', 'input-figures', 'score'];
    /** What the page shows of some windows and thresholds, each after the act that asks for it. */
    const shown = async (page: Page): Promise<string[]> => {
      const all: string[] = [];
      const look = async (act: () => Promise<void>): Promise<void> => {
        await act();
        await answered(page);
        const texts = await page.evaluate((ids) => ids.map((id) => `${id}: ${document.getElementById(id)!.textContent.trim()}`), parts);
        all.push(...texts);
      };
      const take = async (name: string, text: string): Promise<void> => {
        await dropFile(page, name, text);
        await page.locator('#source-name', { hasText: name }).waitFor();
      };
      await look(() => take('prices.csv', `time,price\n${rows.join('\n')}`));
      await look(() => page.locator('#presets label').first().click());
      await look(() => page.locator('#walk-back').click());
      // Of one form, whatever the zone of the ticks: a time that is no whole number of milliseconds ahead.
      await look(() => page.locator('#horizon').fill('12.3456 s'));
      await look(() => page.locator('#move').fill('1.5'));
      await openAdvanced(page);
      await look(() => page.locator('#least').fill('20'));
      await look(() => take('quotes.csv', `time,bid,ask\n${rows.map(quotes).join('\n')}`));
      await look(() => page.locator('#walk-back').click());
      return all;
    };
    let page = await suite.open();
    const asked = requestsOf(page);
    const computed = await shown(page);
    expect(await textOf(page, '#answer-place')).to.match(/^Computed in this page by base-[\w-]+; nothing was sent\.$/);
    expect(asked.filter((path) => path.includes('auth') || path.includes('forecast'))).to.deep.equal([]);
    page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    expect(computed).to.deep.equal(await shown(page));
    expect(await textOf(page, '#answer-place')).to.equal('Computed by the service.');
  });

  it('takes pasted rows', async () => {
    const page = await suite.open();
    await page.locator('#paste-open').click();
    await page.locator('#paste-text').fill(tickRows(300));
    await page.locator('#paste-read').click();
    await page.locator('#source-name', { hasText: 'Pasted rows' }).waitFor();
    await answered(page);
    expect(await page.locator('#count').inputValue()).to.equal('300');
  });

  it('asks again when the threshold is typed, and draws its band', async () => {
    const page = await suite.open();
    await takeFile(page);
    await page.locator('#own').check();
    await page.locator('#move').fill('7.5');
    await answered(page);
    expect(await page.locator('#own').isChecked()).to.equal(true);
    const move = await page.locator('#move').inputValue();
    expect(await textOf(page, '#sentences')).to.include(`a move beyond your cost of ${move} bps`);
    expect(await textOf(page, '#call-text')).to.include(`min_move_bps=${move}`);
    expect(await textOf(page, '#chart-words')).to.match(
      /The threshold band reaches from .* All prices until then stay between [\d.]+ and [\d.]+ with a probability of 90 %\./,
    );
    expect(await textOf(page, '#legend')).to.include('50, 80, 90 % of the time, all prices stay within');
    expect(await textOf(page, '#more-figures')).to.match(/90 % range[\d.]+ to [\d.]+[\d.]+ bps each way/);
  });

  it('asks for a move beyond the spread of the quotes, and says where there are none', async () => {
    const page = await suite.open();
    await page.locator('#file').setInputFiles(quotesOf(tickRows(900)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await answered(page);
    expect(await textOf(page, '#input-figures')).to.include('2 bpsmedian spread of your quotes');
    await page.locator('#move-cost').click();
    await page.locator('#more-figures', { hasText: 'the spread of your quotes' }).waitFor({ state: 'attached' });
    await answered(page);
    expect(await textOf(page, '#sentences')).to.include('beyond your cost of 2 bps');
    expect(await textOf(page, '#call-text')).to.include('&min_move_bps=cost');
    await page.locator('#file').setInputFiles(csvOf(tickRows(900)));
    await page.locator('#move-fault', { hasText: 'no bid and ask' }).waitFor();
    expect(await page.locator('#move-cost').isVisible()).to.equal(false);
  });

  it('asks again for another horizon or number of ticks, and shows invalid input next to the field', async () => {
    const page = await suite.open();
    await takeFile(page);
    await page.locator('#horizon').fill('90 s');
    await openAdvanced(page);
    await page.locator('#count').fill('250');
    await answered(page);
    expect(await textOf(page, '#figures')).to.include('1 min 30 s');
    expect(await textOf(page, '#chart-words')).to.match(/^250 ticks/);
    await page.locator('#horizon').fill('soon');
    await page.locator('#count').fill('20');
    expect(await textOf(page, '#horizon-fault')).to.include('Write a length such as');
    await page.locator('#own').check();
    await page.locator('#move').fill('x');
    // The last fault of the form is not hidden under the button below it.
    const isSeen = await page.locator('#move-fault').evaluate((fault) => {
      const { left, right, bottom } = fault.getBoundingClientRect();
      return fault.contains(document.elementFromPoint((left + right) / 2, bottom - 2));
    });
    expect(isSeen).to.equal(true);
    expect(await textOf(page, '#count-fault')).to.equal('Send a whole number of ticks from 200 to 3000.');
    expect(await page.locator('#send').isDisabled()).to.equal(true);
    await expectAccessible(page, '#ask');
  });

  it('steps through the file and keeps the score next to the base rate', async () => {
    const page = await suite.open();
    await takeFile(page);
    await page.locator('#presets label').first().click();
    await answered(page);
    await page.locator('#walk-start').click();
    await answered(page);
    expect(await textOf(page, '#outcome')).to.match(/^(Then the price|No price arrived)/);
    for (let step = 2; step <= 4; step++) {
      await page.locator('#walk-next').click();
      await page.locator('#score', { hasText: `${step} windows` }).waitFor();
    }
    const score = await textOf(page, '#score');
    expect(score).to.include('fraction of all windows that moved').and.include('Only 4 windows so far: too few to be meaningful.');
    await expectAccessible(page);
    await page.locator('#walk-back').click();
    await answered(page);
    expect(await textOf(page, '#score')).to.match(/^[4-5] windows/);
    await sees(page, { selector: '#score', words: /^6 windows/, press: '#walk-play' }, () => page.locator('#walk-play').click());
    expect(await textOf(page, '#walk-play')).to.equal('Play');
  });

  it('shows every stop of a walk by Tab: ringed, and hidden under nothing', async () => {
    const page = await suite.open();
    await takeFile(page);
    await unfold(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    const stops: string[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const at = document.activeElement as HTMLElement;
        if (at === document.body) return null;
        // What stands for a field that is not drawn itself.
        const drawn = at.closest<HTMLElement>('.drop, .chips label') ?? at;
        const { left, right, top, bottom } = drawn.getBoundingClientRect();
        const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
        const isSeen = drawn.contains(document.elementFromPoint((left + right) / 2, middle));
        const isRinged = getComputedStyle(drawn).outlineStyle !== 'none';
        return { name: at.id === '' ? at.outerHTML.slice(0, 80) : at.id, isSeen, isRinged };
      });
      if (stop === null) break;
      expect(stop, `stop ${stops.length + 1}, ${stop.name}`).to.include({ isSeen: true, isRinged: true });
      expect(stops, 'a trap').to.not.include(stop.name);
      stops.push(stop.name);
    }
    expect(stops).to.include.members(['file', 'zone', 'move', 'send', 'chart', 'walk-back', 'waterfall', 'call-text']);
  });

  it('copies a call that a shell runs to the same answer', async () => {
    const key = await accountOf(suite.rig.url);
    const page = await suite.open({ key });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await takeFile(page);
    expect(await textOf(page, '#call-text')).to.match(/… 2,?997 more …/);
    await unfold(page);
    const copied = { selector: '#call-copy', words: /Copied/ };
    await sees(page, copied, () => page.locator('#call-copy').click());
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).to.not.include(key);
    const output = execFileSync('bash', ['-c', command], { env: { ...process.env, TICKMARK_KEY: key }, encoding: 'utf8' });
    const detail = Object.values(JSON.parse(output) as Record<string, { detail?: { logit: { total: number } } }>).at(-1)!.detail!;
    const shown = await textOf(page, '#waterfall tbody tr:last-child td:nth-child(3)');
    expect(Number(shown.replace('−', '-'))).to.be.closeTo(detail.logit.total, 0.005);
    await page.locator('#tab-typescript').click();
    await sees(page, copied, () => page.locator('#call-copy', { hasText: 'Copy all of it' }).click());
    const program = await page.evaluate(() => navigator.clipboard.readText());
    // The package is not installed here: its sources stand in for it.
    const printed = execFileSync(process.execPath, ['--import=tsx', '--input-type=module'], {
      cwd: ROOT,
      env: { ...process.env, TICKMARK_KEY: key },
      input: program.replace("'tickmark-client'", `'${ROOT}/clients/typescript/src/index.ts'`),
      encoding: 'utf8',
    });
    expect(Number(/total: (-?[\d.]+)/.exec(printed)?.[1])).to.equal(detail.logit.total);
  });

  it('draws 3000 ticks in under 50 ms', async () => {
    const page = await suite.open();
    await takeFile(page);
    await openAdvanced(page);
    await page.locator('#count').fill('3000');
    await answered(page);
    for (let i = 0; i < 5; i++) {
      await page.locator('#move').fill(String(5 + i));
      await answered(page);
    }
    const times = await page.evaluate(() => performance.getEntriesByName('tickmark.draw').map(({ duration }) => duration));
    const median = times.slice(-10).sort((a, b) => a - b)[5];
    process.stdout.write(`    3000 ticks drawn in ${median.toFixed(1)} ms (median of 10)\n`);
    expect(median).to.be.below(50);
  });

  it('says what is wrong when the service does not answer well, and goes on when it is over', async () => {
    const problem =
      (status: number, code: string, headers: Record<string, string> = {}) =>
      (route: Route) =>
        route.fulfill({
          status,
          contentType: 'application/problem+json',
          headers,
          body: JSON.stringify({ status, code, title: '', detail: code, requestId: 'r-1' }),
        });
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page, 700);
    for (const [answer, words, action] of [
      [(route: Route) => route.abort('connectionrefused'), 'The service does not answer.', 'Try again'],
      [problem(429, 'limit.exceeded', { 'Retry-After': '17' }), 'Try again in 17 s.', 'Try again'],
      [problem(503, 'inference.overloaded', { 'Retry-After': '2' }), 'The service is overloaded.', 'Try again'],
      [problem(503, 'service.not_ready', { 'Retry-After': '1' }), 'The service is starting or stopping.', 'Try again'],
      [problem(500, 'internal.unexpected'), 'request id r-1', 'Try again'],
      [problem(401, 'auth.key_refused'), 'The key was not accepted.', 'Sign in'],
    ] as const) {
      await page.route('**/auth/ti-tick*', answer);
      await page.locator('#send').click();
      await page.locator('#failure', { hasText: words }).waitFor();
      expect(await textOf(page, '#failure-again'), words).to.equal(action);
      await page.unroute('**/auth/ti-tick*');
      if (action !== 'Try again') continue;
      await page.locator('#failure-again').click();
      await page.locator('#failure').waitFor({ state: 'hidden' });
    }
    await expectAccessible(page, '#failure');
  });

  it('waits for a service that starts, and shows the sample by itself when it is ready', async () => {
    const page = await suite.visit({
      prepare: async (page) => {
        const problem = { status: 503, code: 'service.not_ready', title: '', detail: '', requestId: 'r-1' };
        for (const path of ['**/sample', '**/sample/forecast', '**/health/ready'])
          await page.route(path, (route) =>
            route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
          );
      },
    });
    await page.locator('#failure', { hasText: 'The service is starting or stopping.' }).waitFor();
    await page.locator('#service[data-state=down]').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await answered(page);
    await page.locator('#failure').waitFor({ state: 'hidden' });
  });
});
