/** Runs `work` for 0 to `count` - 1, at most `most` at once, in order of start. After an error no further one starts; throws the first error. */
export async function someAtOnce(count: number, most: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const workOn = async (): Promise<void> => {
    while (next < count && !hasFailed) {
      try {
        await work(next++);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, count) }, workOn));
}

/** Forecasts of one request that may be queued or in flight at once: the rest of the 64 slots stays free for others. */
export const MOST_AT_ONCE = 16;
