import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every rule of axe-core over the page as it stands, or over the part that is new: the first visit checks the rest, and a part takes half the time. */
export async function expectAccessible(page: Page, part = 'html'): Promise<void> {
  // Half a megabyte of script: once a page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(async (selector) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(part: string, options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations: found } = await axe.run(selector, { resultTypes: ['violations'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`);
  }, part);
  expect(violations).to.deep.equal([]);
}

/** Nothing stands out to the side: a page that scrolls sideways on a phone is broken. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')]
      .filter(
        (each) =>
          each.closest('pre, .scroll, .unseen, #chart, dialog:not([open])') === null && each.getBoundingClientRect().right > width + 1,
      )
      .map((each) => each.outerHTML.slice(0, 120));
  });
  expect(over).to.deep.equal([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).to.equal(true);
}

/** Buttons, fields and other targets of a finger are at least 44 px wide and high; links within a paragraph are as high as their line. */
export async function expectTouchTargets(page: Page): Promise<void> {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a, input, select, textarea, summary, [role=slider]')].flatMap((each) => {
      if (!each.checkVisibility() || each.matches('.unseen, .skip, p a, dialog:not([open]) *')) return [];
      const { width, height } = (each.matches('[type=checkbox], [type=radio]') ? each.closest('label')! : each).getBoundingClientRect();
      return Math.min(width, height) >= 43.9 ? [] : [`${each.outerHTML.slice(0, 80)} ${width.toFixed(0)} × ${height.toFixed(0)}`];
    }),
  );
  expect(small).to.deep.equal([]);
}
