import type { Browser } from 'playwright-core';
import { atEnd } from '../../support/atEnd.ts';
import { findChromium, launchChromium } from './launchChromium.ts';

let launched: Promise<Browser> | undefined;

/** One browser for all suites of this process, which close their own contexts. Undefined where there is none; the reason is printed. */
export async function sharedChromium(): Promise<Browser | undefined> {
  const chromium = findChromium();
  if (chromium === undefined) {
    process.stdout.write('  skipped: no Chromium in the usual places; install one, or name it in CHROMIUM_PATH\n');
    return undefined;
  }
  if (launched === undefined) {
    const browser = (launched = launchChromium(chromium));
    atEnd(async () => {
      launched = undefined;
      await (await browser).close();
    });
  }
  return launched;
}
