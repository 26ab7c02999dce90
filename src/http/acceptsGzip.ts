/** Whether an Accept-Encoding header (RFC 9110) accepts gzip, by name or by `*`, with a weight above 0. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let byStar = false;
  for (const entry of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const isTaken = !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isTaken;
    if (coding === '*') byStar = isTaken;
  }
  return byStar;
}
