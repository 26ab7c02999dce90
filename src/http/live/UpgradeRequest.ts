import { IncomingMessage } from 'node:http';
import { LIVE_PATH } from '../../contract/live.ts';

/** Whether a request target is the path of live connections, with or without a query. */
const isLivePath = (url: string | undefined): boolean =>
  url !== undefined && url.startsWith(LIVE_PATH) && (url.length === LIVE_PATH.length || url[LIVE_PATH.length] === '?');

/**
 * A request that changes to another protocol only at the path of live connections. With a listener for upgrades, Node.js passes every
 * request with the header Upgrade to it, also one that curl sends with `Upgrade: h2c` and that wants a plain answer.
 */
export class UpgradeRequest extends IncomingMessage {
  /** Assigned through `upgrade`, first by the constructor of the parent, before fields of this class exist. */
  declare isUpgrade: boolean;

  get upgrade(): boolean {
    return this.isUpgrade && (this.method === 'CONNECT' || (this.method === 'GET' && isLivePath(this.url) && isWebSocket(this)));
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade;
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';
