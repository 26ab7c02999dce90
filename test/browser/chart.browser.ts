import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, byService, textOf } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

const isZoomed = (page: Page): Promise<boolean> => page.locator('#zoom-whole').isVisible();

/** The plot, scrolled into the window. */
async function plotBox(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.locator('#chart').scrollIntoViewIfNeeded();
  return (await page.locator('#chart').boundingBox())!;
}

consoleSuite('the chart of the console', (suite) => {
  it('zooms with the wheel around the pointer, is moved by dragging, and shows the whole window on a double click', async () => {
    const page = await suite.open();
    const { x, y, width } = await plotBox(page);
    await page.mouse.move(x + width / 2, y + 80);
    const before = await page.locator('.cross-tag').first().textContent();
    await page.mouse.wheel(0, -400);
    await page.locator('#zoom-whole').waitFor();
    expect(await isZoomed(page)).to.equal(true);
    // The time under the pointer stays.
    await page.mouse.move(x + width / 2 + 1, y + 80);
    await page.mouse.move(x + width / 2, y + 80);
    const timeOf = (clock: string | null): number => Date.parse(`2024-01-02T${clock}Z`);
    expect(timeOf(await page.locator('.cross-tag').first().textContent())).to.be.closeTo(timeOf(before), 300);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 150, y + 80, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(x + width / 2, y + 81);
    expect(timeOf(await page.locator('.cross-tag').first().textContent())).to.be.above(timeOf(before) + 2000);
    await page.mouse.dblclick(x + 100, y + 80);
    await page.locator('#zoom-whole').waitFor({ state: 'hidden' });
  });

  it('lets the wheel scroll the page where there is nothing to zoom out to', async () => {
    const page = await suite.open();
    const { x, y, width } = await plotBox(page);
    const before = await page.evaluate(() => scrollY);
    await page.mouse.move(x + width / 2, y + 80);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((from) => scrollY > from, before);
    expect(await isZoomed(page)).to.equal(false);
  });

  it('names time and price under the pointer on both axes, within the picture', async () => {
    const page = await suite.open();
    const { x, y, width, height } = await plotBox(page);
    const box = { x, width };
    for (const at of [3, width / 2, width * 0.9]) {
      await page.mouse.move(x + at, y + height / 2);
      const [time, price] = await page.locator('#chart .cross-tag').allTextContents();
      expect(time).to.match(/^\d\d:\d\d:\d\d\.\d{3}$/);
      expect(price).to.match(/^\d+\.\d\d$/);
      for (const tag of await page.locator('#chart .cross-tag').all()) {
        const place = (await tag.boundingBox())!;
        expect(place.x).to.be.at.least(box.x - 1);
        expect(place.x + place.width).to.be.at.most(box.x + box.width + 1);
      }
    }
    await page.mouse.move(x + width / 2, y - 200);
    await page.locator('.cross-tag').first().waitFor({ state: 'hidden' });
  });

  it('zooms by buttons and by keys, and moves to the tick that the arrow keys read', async () => {
    const page = await suite.open();
    await page.locator('#zoom-in').click();
    await page.locator('#zoom-in').click();
    expect(await isZoomed(page)).to.equal(true);
    await page.locator('#chart').focus();
    await page.keyboard.press('Home');
    expect(await textOf(page, '#readout')).to.match(/^2024-01-02 00:00:00\.817 +100/);
    const [chart, line] = await Promise.all(['#chart', '#chart .cross-x'].map((part) => page.locator(part).boundingBox()));
    expect(line!.x).to.be.within(chart!.x - 1, chart!.x + chart!.width * 0.75);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#chart').getAttribute('aria-valuenow')).to.equal('1');
    await page.keyboard.press('0');
    expect(await isZoomed(page)).to.equal(false);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('+');
    expect(await isZoomed(page)).to.equal(true);
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    expect(await isZoomed(page)).to.equal(false);
  });

  it('zooms with two fingers and moves with one, and one finger up and down scrolls the page', async () => {
    const page = await suite.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const { x, y, width } = await plotBox(page);
    const client = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: readonly (readonly [number, number])[]) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([left, top], id) => ({ x: left, y: top, id })) });
    const middle = x + width / 2;
    await touch('touchStart', [middle - 30, y + 60], [middle + 30, y + 60]);
    for (let apart = 35; apart <= 100; apart += 13) await touch('touchMove', [middle - apart, y + 60], [middle + apart, y + 60]);
    await touch('touchEnd');
    await page.locator('#zoom-whole').waitFor();
    await touch('touchStart', [middle, y + 60]);
    for (let by = 10; by <= 60; by += 10) await touch('touchMove', [middle + by, y + 60]);
    await touch('touchEnd');
    expect(await textOf(page, '#readout')).to.match(/^2024-01-02 /);
    await expectNoOverflow(page);
    await expectAccessible(page, '#answer');
    expect(await page.locator('#chart').evaluate((chart) => getComputedStyle(chart).touchAction)).to.equal('pan-y');
  });

  for (const who of ['page', 'service'] as const)
    it(`shows the chance that a level is reached, moved by keys and by dragging, computed by the ${who}`, async () => {
      const page = await suite.open(who === 'page' ? {} : { key: await accountOf(suite.rig.url) });
      if (who === 'service') await byService(page);
      await page.locator('#file').setInputFiles(csvOf(tickRows(3000)));
      await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
      await answered(page);
      expect(await textOf(page, '#answer-place')).to.match(who === 'page' ? /nothing was sent/ : /by the service/);
      expect(await textOf(page, '#legend')).to.include('50, 80, 90 % of the time, all prices stay within');
      const level = page.locator('.level');
      const chance = async (): Promise<readonly [price: number, percent: number]> => {
        await answered(page);
        const [, price, percent] = /^([\d.]+), reached within .*: (?:under )?([\d.]+) %$/.exec(
          (await level.getAttribute('aria-valuetext'))!,
        )!;
        return [Number(price), Number(percent)];
      };
      const first = await chance();
      await level.focus();
      await page.keyboard.press('ArrowUp');
      await page.waitForFunction((before) => !document.querySelector('.level')!.ariaValueText!.startsWith(before), first[0].toFixed(2));
      await level.and(page.locator('[aria-valuetext*=reached]')).waitFor();
      const next = await chance();
      expect(next[0]).to.be.closeTo(first[0] + 0.01, 1e-9);
      const box = (await level.boundingBox())!;
      const chart = (await page.locator('#chart').boundingBox())!;
      await page.mouse.move(box.x + 20, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + 20, chart.y + chart.height * 0.45, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction((before) => !document.querySelector('.level')!.ariaValueText!.startsWith(before), next[0].toFixed(2));
      await level.and(page.locator('[aria-valuetext*=reached]')).waitFor();
      const dragged = await chance();
      expect(dragged[0]).to.not.equal(next[0]);
      // The nearer a level, the likelier it is reached.
      const last = Number(/ ([\d.]+)$/.exec((await textOf(page, '#readout')).trim())![1]);
      const [near, far] = [next, dragged].sort((a, b) => Math.abs(a[0] - last) - Math.abs(b[0] - last));
      expect(near[1]).to.be.at.least(far[1]);
      expect(await textOf(page, '#call-text')).to.include(`touch=${dragged[0]}`);
      await expectAccessible(page, '#answer');
    });

  it('draws candles in place of the line, and back', async () => {
    const page = await suite.open();
    const picture = (): Promise<string> => page.locator('#chart canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    const before = await picture();
    await page.locator('#chart-candles').click();
    expect(await page.locator('#chart-candles').getAttribute('aria-pressed')).to.equal('true');
    expect(await picture()).to.not.equal(before);
    await page.locator('#chart-candles').click();
    expect(await picture()).to.equal(before);
  });
});
