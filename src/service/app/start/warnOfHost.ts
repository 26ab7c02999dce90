import { isLoopback, type Settings } from '../../../core/config/settings.ts';
import type { Logger } from '../../../core/Logger.ts';
import { GOOD_OPEN_FILES, openFilesLimit, RAISE_OPEN_FILES } from '../../../core/openFiles.ts';

/** Says what an operator should change around the service. */
export function warnOfHost({ host, trustProxy }: Pick<Settings, 'host' | 'trustProxy'>, logger: Logger): void {
  if (!isLoopback(host) && !trustProxy)
    logger.warn(
      'HOST is public and TRUST_PROXY is off: keys are sent unencrypted unless a proxy in front terminates TLS; behind a proxy, all callers share its address for the limits',
      { host },
    );
  const openFiles = openFilesLimit();
  if (openFiles !== undefined && openFiles < GOOD_OPEN_FILES)
    logger.warn('the limit of open files is low: each connection needs one', {
      ...{ openFiles, advised: GOOD_OPEN_FILES, remedy: RAISE_OPEN_FILES },
    });
}
