import { IncomingMessage } from 'node:http';
import { LIVE_PATH } from '../../../contract/live.ts';
import { Pipeline } from '../Pipeline.ts';

/** Whether a request target is the path of live connections, with or without a query. */
const isLivePath = (url: string | undefined): boolean =>
  url !== undefined && url.startsWith(LIVE_PATH) && (url.length === LIVE_PATH.length || url[LIVE_PATH.length] === '?');

/**
 * A request that changes to another protocol only at the path of live connections. With a listener for upgrades, Node.js passes every
 * request with the header Upgrade to it, also one that curl sends with `Upgrade: h2c` and that wants a plain answer.
 *
 * A request above the limit of its pipeline is passed to that listener too: this is the only way to stop the parser, which would go on
 * through all the requests of the piece after the socket was destroyed.
 */
export class UpgradeRequest extends IncomingMessage {
  /** Assigned through `upgrade`, first by the constructor of the parent, before fields of this class exist. */
  declare isUpgrade: boolean;
  /** Whether too many requests before it have no answer. */
  declare isExcess: boolean;

  get upgrade(): boolean {
    if (this.isExcess) return true;
    return this.isUpgrade && (this.method === 'CONNECT' || (this.method === 'GET' && isLivePath(this.url) && isWebSocket(this)));
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade;
    // Node.js assigns the field before it starts the request, which is counted then.
    this.isExcess = this.socket !== undefined && Pipeline.of(this.socket).isFull;
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';
