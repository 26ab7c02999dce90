import type * as engines from './openPageEngine.ts';

/** The engine at an address of this page. */
export const loadEngine = async (url: string): Promise<typeof engines> => (await import(url)) as typeof engines;
