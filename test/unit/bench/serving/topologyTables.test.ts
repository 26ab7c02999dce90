import { expect } from 'chai';
import type { KillCell } from '../../../../bench/serving/killCells.ts';
import { chosenLetters, nameOf, TOPOLOGIES } from '../../../../bench/serving/topologies.ts';
import { topologyTables, type MeasuredSide } from '../../../../bench/serving/topologyTables.ts';
import { reportText } from '../../../../bench/tables.ts';

const MIB = 1024 * 1024;
const [A] = TOPOLOGIES;

const figures = (rate: number): MeasuredSide['closed'][number]['figures'][number] => ({
  ...{ rate, p50: 1000 / rate, p99: 5000 / rate, cpu: 800 / rate },
  ...{ mainThread: 0, mainProcess: 0, network: 0, generator: 0 },
});

/** Closed loops of 1 and 8 connections with rates of three rounds each. */
function server(name: string, isPeer: boolean, [one, eight]: [number[], number[]]): MeasuredSide {
  return {
    ...{ name, isPeer, knee: 2 * eight[0]!, p50: 2, p99: 30, loopDelayMs: isPeer ? undefined : 25 },
    closed: [
      { connections: 1, figures: one.map(figures), failed: 0, disturbed: 1 },
      { connections: 8, figures: eight.map(figures), failed: 3, disturbed: 1 },
    ],
    atStart: { processes: 1, bytes: 200 * MIB, rssBytes: 210 * MIB },
    atEnd: { processes: 1, bytes: 300 * MIB, rssBytes: 310 * MIB },
  };
}

const killed = (startMs: number, failed: [number, number][], backMs: number): KillCell['rounds'][number] => ({
  ...{ startMs, downMs: 1500, failed: new Map(failed), backMs, endRatio: 1, newRatio: 0.985, rate: 1000 },
});
const kills: KillCell[] = [
  {
    topology: A!,
    kill: A!.kills[0]!,
    rounds: [
      killed(
        1000,
        [
          [0, 8],
          [503, 100],
        ],
        1750,
      ),
      killed(2000, [[0, 10]], Infinity),
      killed(1200, [[0, 9]], 2000),
    ],
  },
];

describe('topologyTables', () => {
  const ours = server(nameOf(A!), false, [
    [500, 900, 600],
    [2000, 1000, 1500],
  ]);
  const peer = server('FastAPI', true, [
    [1000, 1200, 1300],
    [1000, 1000, 1000],
  ]);
  const tables = topologyTables([ours, peer], kills);
  const linesOf = (title: string): readonly (readonly string[])[] => tables.find((table) => table.title.includes(title))!.lines;

  it('show medians of rounds, with their ratio to the peer', () => {
    expect(linesOf('requests/s')).to.deep.equal([
      ['A one process', '600 (0.50)', '1500 (1.50)'],
      ['FastAPI', '1200 (1.00)', '1000 (1.00)'],
    ]);
    expect(linesOf('CPU')[0]).to.deep.equal(['A one process', '1.333 (2.00)', '0.5333 (0.67)']);
    expect(linesOf('p50 / p99')[1]).to.deep.equal(['FastAPI', '0.8333 / 4.167', '1 / 5']);
  });

  it('show knee, latency, loop delay, and what failed or was disturbed in all closed loops', () => {
    expect(linesOf('Open loop')).to.deep.equal([
      ['A one process', '4000 (2.00)', '2 (1.00)', '30 (1.00)', '25', '3', '2'],
      ['FastAPI', '2000 (1.00)', '2 (1.00)', '30 (1.00)', '-', '3', '2'],
    ]);
  });

  it('show start time, memory and what a kill costs', () => {
    expect(linesOf('Start and memory')).to.deep.equal([
      ['A one process', '1', '1.2', '200', '300', '310'],
      ['FastAPI', '1', '-', '200', '300', '310'],
    ]);
    const [line] = linesOf('kill -9');
    expect(line!.slice(2)).to.deep.equal(['1500', '503: 0, no answer: 9', '2', '100 %', '99 %']);
  });

  it('have no ratios without a peer, and are formatted for a terminal and for a page', () => {
    const [rates] = topologyTables([ours], []);
    expect(rates).to.deep.equal({
      title: 'Closed loop by connections: requests/s',
      head: ['topology', '1', '8'],
      lines: [['A one process', '600', '1500']],
    });
    const report = { about: ['## Topologies', '', 'Today.'], tables: [rates!] };
    expect(reportText(report, true)).to.equal(
      '## Topologies\n\nToday.\n\n### Closed loop by connections: requests/s\n\n| topology | 1 | 8 |\n| --- | --- | --- |\n| A one process | 600 | 1500 |',
    );
    expect(reportText(report, false)).to.include('topology       1    8\n-------------  ---  ----\nA one process  600  1500');
  });
});

describe('chosenLetters', () => {
  it('are all topologies by default, or the named ones', () => {
    expect(chosenLetters(undefined)).to.deep.equal(['A', 'B', 'C', 'D', 'P']);
    expect(chosenLetters('C,A')).to.deep.equal(['C', 'A']);
    expect(() => chosenLetters('A,Z')).to.throw(/A,B,C,D,P.*Z/);
  });
});
