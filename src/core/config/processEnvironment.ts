/** A copy of the environment of this process, for programs that are started with their own environment. */
export const processEnvironment = (): Record<string, string | undefined> => ({ ...process.env });
