/** A request as HAProxy logs it when it ends. */
export type ProxyLine = {
  /** The replica that got it last; `<NOSRV>`: none did. */
  readonly replica: string;
  readonly status: number;
  /** Two letters; a first `S`: the replica ended the connection. */
  readonly ending: string;
};

const LINE = /] \S+ \S+\/(\S+) \S+ (-?\d+) \d+ \S+ \S+ (\w|-)(\w|-)/;

/** Reads a line of `option httplog`; undefined for any other line. */
export function parseProxyLine(line: string): ProxyLine | undefined {
  const [, replica, status, first, second] = LINE.exec(line) ?? [];
  return replica === undefined ? undefined : { replica, status: Number(status), ending: `${first}${second}` };
}

/** Whether a replica ended the connection before it had answered, or HAProxy answered in place of one. */
export const isBroken = ({ status, ending }: ProxyLine): boolean => ending.startsWith('S') || status === 502 || status < 100;
