import { layerGraph, type Folders } from '../../test/support/layerGraph.ts';

const [WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT, EDGE] = [1000, 84, 126, 38, 36];
const STYLE =
  'text{font:600 15.5px system-ui,sans-serif;fill:#12343b;text-anchor:middle}rect.card{fill:#f7f9f9}rect.folder{fill:#fff;stroke:#0f6674;stroke-width:1.5}path{fill:none;stroke:#7b8f93;stroke-width:1.4;marker-end:url(#tip)}';

/** The rooms and their imports, as SVG: the same text for the same table. */
export function architectureSvg(folders: Folders): string {
  const { rows, arrows } = layerGraph(folders);
  const height = rows.length * ROW + EDGE;
  const spots = new Map<string, { x: number; y: number; isFolder: boolean }>();
  rows.forEach((row, i) => {
    // A waypoint of an arrow needs less space than a box.
    const shares = row.map(({ isFolder }) => (isFolder ? 2 : 0.6));
    const whole = shares.reduce((sum, share) => sum + share, 0);
    let left = EDGE;
    row.forEach(({ name, isFolder }, k) => {
      const width = ((shares[k] ?? 0) / whole) * (WIDTH - 2 * EDGE);
      spots.set(name, { x: Math.round(left + width / 2), y: height - EDGE - i * ROW - BOX_HEIGHT / 2, isFolder });
      left += width;
    });
  });
  const lines = arrows.map((arrow) => {
    const points = arrow.map((name) => spots.get(name) as { x: number; y: number; isFolder: boolean });
    return `<path d="${points.map((point, i) => (i === 0 ? `M${point.x} ${point.y + BOX_HEIGHT / 2}` : curve(points[i - 1], point))).join('')}"/>`;
  });
  const boxes = rows.flat().flatMap(({ name, isFolder }) => {
    const { x, y } = spots.get(name)!;
    const box = `x="${x - BOX_WIDTH / 2}" y="${y - BOX_HEIGHT / 2}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="6"`;
    return isFolder ? [`<rect class="folder" ${box}/><text x="${x}" y="${y + 6}">${name}</text>`] : [];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Rooms, each with arrows to those that it imports">`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#7b8f93;stroke:none;marker-end:none"/></marker></defs>',
    `<rect class="card" width="${WIDTH}" height="${height}" rx="10"/>`,
    ...lines,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

type Spot = { readonly x: number; readonly y: number; readonly isFolder: boolean };

function curve(from: Spot, to: Spot): string {
  const [top, end] = [from.isFolder ? from.y + BOX_HEIGHT / 2 : from.y, to.isFolder ? to.y - BOX_HEIGHT / 2 : to.y];
  const bend = Math.round((end - top) / 2);
  return `C${from.x} ${top + bend} ${to.x} ${end - bend} ${to.x} ${end}`;
}
