import type { Page } from 'playwright-core';

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

const MAIN_THREAD = 'CrRendererMain';
const TASK = 'ThreadControllerImpl::RunTask';

/**
 * The longest task of the page while the call runs, in milliseconds of processor time: what other programs of the machine take meanwhile
 * does not count, as it does in the long tasks of a PerformanceObserver.
 */
export async function longestTask(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === MAIN_THREAD).map(threadOf));
  const tasks = traceEvents.filter((event) => event.name === TASK && main.has(threadOf(event)));
  if (tasks.length < 10) throw new Error(`The trace of the browser has ${tasks.length} tasks of the page: its format has changed.`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}
