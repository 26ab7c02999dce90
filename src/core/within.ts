import type { Clock } from './Clock.ts';

/** The answer, or after `ms` without one what `late` returns or throws; a later answer is ignored. The time keeps the process alive only with `keepsAlive`. */
export async function within<T, L>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  answer: Promise<T>,
  late: () => L,
  keepsAlive = false,
): Promise<T | Awaited<L>> {
  let cancel = (): void => {};
  const time = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve, keepsAlive))).then(late);
  answer.catch(() => {});
  try {
    return await Promise.race([answer, time]);
  } finally {
    cancel();
  }
}
