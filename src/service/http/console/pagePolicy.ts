import { exchangeOrigins } from '../../../ticks/exchange/exchanges.ts';

/**
 * Headers of the pages for people. Allows scripts, styles and calls of this origin only: nothing inline, no frames, and no forms submitted by
 * the browser (a password would be in the address of a page whose script failed).
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Of the console: it also connects to the exchanges of its live view, once one is chosen, and to no other host. */
export const CONSOLE_HEADERS: typeof PAGE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': PAGE_HEADERS['Content-Security-Policy'].replace(
    "connect-src 'self'",
    `connect-src 'self' ${exchangeOrigins().join(' ')}`,
  ),
};
