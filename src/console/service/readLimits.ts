/** The limits of an answer in words, from its fields RateLimit and RateLimit-Policy; none where the service has no limit. */
export function readLimits(headers: Pick<Headers, 'get'>): readonly string[] {
  const numbersOf = (field: string, pattern: RegExp): ReadonlyMap<string, readonly number[]> =>
    new Map([...(headers.get(field) ?? '').matchAll(pattern)].map(([, name = '', ...numbers]) => [name, numbers.map(Number)]));
  const quotas = numbersOf('RateLimit-Policy', /"([^"]*)";q=(\d+);w=(\d+)/g);
  return [...numbersOf('RateLimit', /"([^"]*)";r=(\d+);t=(\d+)/g)].map(([name, [left = 0, resetS = 0]]) => {
    const [quota = 0, windowS = 0] = quotas.get(name) ?? [];
    const more = left < quota ? `; all of them again in ${resetS} s` : '';
    return `Limit: ${left.toLocaleString('en')} of ${quota.toLocaleString('en')} ${name} in ${windowS} s are left${more}.`;
  });
}
