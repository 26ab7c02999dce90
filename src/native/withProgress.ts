import type { SetupContext } from './SetupStep.ts';

const PULSE_MS = 1000;

/** Reports `text(elapsed seconds)` as passing progress every second until the work has ended. */
export async function withProgress<T>(
  { clock, progress }: Pick<SetupContext, 'clock' | 'progress'>,
  text: (seconds: number) => string,
  work: Promise<T>,
): Promise<T> {
  const startMs = clock.monotonicMs();
  let callOff = (): void => {};
  const pulse = (): void => {
    callOff = clock.after(PULSE_MS, () => {
      progress(text((clock.monotonicMs() - startMs) / 1000), true);
      pulse();
    });
  };
  pulse();
  try {
    return await work;
  } finally {
    callOff();
  }
}
