import * as net from 'node:net';

/** A proxy between a client and a server that can stop the traffic. */
export type Relay = {
  readonly port: number;
  /** `stall` holds back bytes from the client; `pass` forwards them. */
  mode: 'pass' | 'stall';
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
};

export async function startRelay(targetPort: number): Promise<Relay> {
  const pairs = new Set<[net.Socket, net.Socket]>();
  const held: (() => void)[] = [];
  let mode: Relay['mode'] = 'pass';
  const server = net.createServer((client) => {
    const target = net.connect(targetPort, '127.0.0.1');
    const pair: [net.Socket, net.Socket] = [client, target];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as [net.Socket, net.Socket]]) {
      from.on('data', (chunk) => {
        const forward = (): void => void (to.destroyed || to.write(chunk));
        if (mode === 'stall' && from === client) held.push(forward);
        else forward();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const [client, target] of pairs) {
      client.destroy();
      target.destroy();
    }
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    get mode() {
      return mode;
    },
    set mode(asked) {
      mode = asked;
      if (asked === 'pass') for (const forward of held.splice(0)) forward();
    },
    cut,
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
