import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { textOf } from './support/steps.ts';

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
});
