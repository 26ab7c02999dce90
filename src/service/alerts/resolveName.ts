import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/** Longest wait for a name server before it is asked a second time, twice as long. */
const SERVER_MS = 2000;
const MOST_SEARCHED = 6;

export type ResolveOptions = {
  /** Ends the lookup. */
  readonly signal: AbortSignal;
  /** Whether the search domains of resolv.conf are tried too, as for names within a cluster. */
  readonly searches: boolean;
  /** Left out: those of the system. */
  readonly servers?: readonly string[];
  readonly hosts?: string;
  readonly resolvConf?: string;
};

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** Words of the lines of a file of the system, without comments. */
const linesOf = (text: string): string[][] => text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/));

/**
 * All addresses of a name: those of the hosts file, or of the name servers. getaddrinfo, which `dns.lookup` calls, cannot be ended and holds
 * one of the few threads of the process until its name servers answer, which those of the name decide. Rejects with the code of the
 * resolver.
 */
export async function resolveName(name: string, options: ResolveOptions): Promise<readonly string[]> {
  if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
  const { hosts = await readText('/etc/hosts') } = options;
  const listed = linesOf(hosts).flatMap(([address = '', ...names]) => (names.includes(name) ? [address] : []));
  if (listed.length > 0) return listed;
  const resolver = new Resolver({ timeout: SERVER_MS, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const cancel = (): void => resolver.cancel();
  options.signal.addEventListener('abort', cancel, { once: true });
  try {
    return await askServers(resolver, name, options);
  } finally {
    options.signal.removeEventListener('abort', cancel);
  }
}

async function askServers(resolver: Resolver, name: string, { signal, searches, resolvConf }: ResolveOptions): Promise<readonly string[]> {
  let failure: unknown;
  const domains = searches ? await searchDomains(resolvConf) : [];
  for (const full of [name, ...domains.map((domain) => `${name}.${domain}`)]) {
    if (signal.aborted) break;
    const answers = await Promise.allSettled([resolver.resolve4(full), resolver.resolve6(full)]);
    const [v4, v6] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const found = hasIpv4() ? [...v4!, ...v6!] : [...v6!, ...v4!];
    if (found.length > 0) return found;
    const [first, second] = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as { code?: string }) : undefined));
    failure ??= first?.code === 'ENODATA' ? second : first;
  }
  throw failure ?? Object.assign(new Error('The lookup was ended.'), { code: 'ECANCELLED' });
}

async function searchDomains(resolvConf?: string): Promise<string[]> {
  const lines = linesOf(resolvConf ?? (await readText('/etc/resolv.conf')));
  return (lines.findLast(([word]) => word === 'search' || word === 'domain') ?? []).slice(1, 1 + MOST_SEARCHED);
}

/** The first address is called. */
const hasIpv4 = (): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ family, internal }) => family === 'IPv4' && !internal) === true);
