/** Names that mean this machine in every browser, and addresses of its loopback interface. */
const LOCAL_NAME = /^(?:(?:[a-z0-9-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a service that only this machine can reach may answer a request with this Host header: under another name, the page of a stranger
 * may have let its own name resolve to the loopback address (DNS rebinding), and its browser would treat the answers as those of the page.
 * `names`: further ones, in lower case; `*` allows all.
 */
export function isLocalHost(header: string, names: readonly string[]): boolean {
  const name = header.toLowerCase().replace(/:\d*$/, '');
  return LOCAL_NAME.test(name) || names.includes(name) || names.includes('*');
}
