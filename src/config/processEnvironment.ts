/** A copy of the process's environment, for programs that are started with one of their own. */
export const processEnvironment = (): Record<string, string | undefined> => ({ ...process.env });
