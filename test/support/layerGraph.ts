import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { ROOT } from './tickmarkProcess.ts';

/** Allowed imports: rooms to the lower rooms that they may import. */
export type Folders = Readonly<Record<string, readonly string[]>>;

/** A node of the picture: a folder, or a waypoint of a long arrow. */
type Stop = { readonly name: string; readonly isFolder: boolean };

export type LayerGraph = {
  /** Rows from the bottom (imports nothing) up. */
  readonly rows: readonly (readonly Stop[])[];
  /** Arrows, each as its nodes from the importing folder down. */
  readonly arrows: readonly (readonly string[])[];
};

export function readFolders(): Folders {
  const file = path.join(ROOT, 'test', 'architecture', 'layers.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { folders: Folders }).folders;
}

const plain = (name: string): string => name.replace(/^type:/, '');

/** Places each folder one row above the highest folder that it imports. Arrows implied by others are dropped (the table of the page lists them). */
export function layerGraph(folders: Folders): LayerGraph {
  const heights = new Map<string, number>();
  const height = (name: string): number => {
    const known = heights.get(name);
    if (known !== undefined) return known;
    const own = 1 + Math.max(-1, ...(folders[name] ?? []).map((below) => height(plain(below))));
    heights.set(name, own);
    return own;
  };
  const names = Object.keys(folders);
  const rows: Stop[][] = Array.from({ length: 1 + Math.max(...names.map(height)) }, () => []);
  for (const name of names) rows[height(name)]?.push({ name, isFolder: true });
  const reaches = (from: string, to: string): boolean =>
    (folders[from] ?? []).some((below) => plain(below) === to || reaches(plain(below), to));
  const arrows: string[][] = [];
  for (const name of names) {
    const below = (folders[name] ?? []).map(plain);
    for (const target of below.filter((one) => !below.some((other) => other !== one && reaches(other, one)))) {
      const through: string[] = [];
      for (let row = height(name) - 1; row > height(target); row--) {
        through.push(`${name}>${target}@${row}`);
        rows[row]?.push({ name: through.at(-1) as string, isFolder: false });
      }
      arrows.push([name, ...through, target]);
    }
  }
  return { rows: settle(rows, arrows), arrows };
}

/** Places each node near the mean of its neighbours, alternating down and up, so that few arrows cross. Deterministic for the same table. */
function settle(rows: readonly Stop[][], arrows: readonly string[][]): Stop[][] {
  const neighbours = new Map<string, string[]>();
  for (const arrow of arrows)
    arrow.slice(1).forEach((below, i) => {
      const above = arrow[i] as string;
      neighbours.set(below, [...(neighbours.get(below) ?? []), above]);
      neighbours.set(above, [...(neighbours.get(above) ?? []), below]);
    });
  let settled = rows.map((row) => [...row]);
  for (let sweep = 0; sweep < 24; sweep++) {
    const places = new Map(settled.flatMap((row) => row.map(({ name }, i) => [name, (i + 0.5) / row.length] as const)));
    const wish = ({ name }: Stop): number => {
      const adjacent = neighbours.get(name) ?? [];
      return adjacent.reduce((sum, one) => sum + (places.get(one) ?? 0), 0) / Math.max(1, adjacent.length);
    };
    settled = settled.map((row, i) => (i % 2 === sweep % 2 ? [...row].sort((a, b) => wish(a) - wish(b)) : row));
  }
  return settled;
}
