import type { Page } from 'playwright-core';

export const PASSWORD = 'correct horse 42';

let accounts = 0;

/** Signs up by the form; each call another e-mail unless it is named. Resolves to the key. */
export async function signUp(page: Page, email = `trader${++accounts}@example.com`, { goOn = true } = {}): Promise<string> {
  await page.locator('#account-open').click();
  await page.locator('#login [data-show=signup]').click();
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(PASSWORD);
  await page.locator('#confirm_password').fill(PASSWORD);
  await page.locator('#signup [type=submit]').click();
  await page.locator('#issued:not([hidden])').waitFor();
  const key = (await page.locator('#issued-key').textContent()) ?? '';
  if (!goOn) return key;
  await page.locator('#saved').check();
  await page.locator('#issued-go').click();
  await page.locator('#account:not([open])').waitFor({ state: 'attached' });
  return key;
}

/** Makes an account over HTTP, as from another machine; each call another one unless it is named. Resolves to its key. */
export async function accountOf(url: string, email = `trader${++accounts}@example.com`): Promise<string> {
  const body = JSON.stringify({ email, password: PASSWORD, confirm_password: PASSWORD });
  const answer = await fetch(`${url}/signup`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return ((await answer.json()) as { api_key: string }).api_key;
}

/** Waits until the answer on the page is for the question on the page. */
export async function answered(page: Page): Promise<void> {
  await page.locator('#answer:not([data-stale]):not([aria-busy=true])').waitFor();
  await page.locator('#figures dd').first().waitFor();
}

export const textOf = async (page: Page, selector: string): Promise<string> => ((await page.locator(selector).textContent()) ?? '').trim();

/** Opens what is closed until somebody wants it. */
export const unfold = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const part of document.querySelectorAll<HTMLDetailsElement>('details.card, #answer-more')) part.open = true;
  });

/** Lets a file go over the page, as a hand would. */
export async function dropFile(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content!], fileName!, { type: 'text/csv' }));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
}

/**
 * Acts, and waits until the element has shown the words once, however briefly: a locator looks a few times a second and misses what
 * passes between two looks. The button `press` is clicked in the same moment.
 */
export async function sees(page: Page, at: { selector: string; words: RegExp; press?: string }, act: () => Promise<void>): Promise<void> {
  const watch = await page.evaluateHandle(({ selector, words, press }) => {
    const seen = new Promise<void>((resolve, reject) => {
      new MutationObserver((_, observer) => {
        const element = document.querySelector(selector);
        if (element === null || element.closest('[hidden]') !== null || !words.test(element.textContent)) return;
        observer.disconnect();
        if (press !== undefined) document.querySelector<HTMLElement>(press)!.click();
        resolve();
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      setTimeout(() => reject(new Error(`${selector} did not show ${words} within 30 s.`)), 30_000);
    });
    return { seen };
  }, at);
  await act();
  await watch.evaluate(({ seen }) => seen);
}

/** Forecasts are asked of the service, as where another version or other rules answer there, or the browser cannot run the engine. */
export async function byService(page: Page): Promise<void> {
  await page.context().route('**/console/engine.*', (route) => route.abort());
}

/** The paths of the requests from now on, of the page and of its workers. */
export function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.context().on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/\.(?:[0-9a-f]{16}|[0-9A-Z]{8})\./, '.')));
  return asked;
}

/** Shows the fields that few need. */
export const openAdvanced = (page: Page): Promise<void> =>
  page.locator('#advanced').evaluate((details) => void ((details as HTMLDetailsElement).open = true));
