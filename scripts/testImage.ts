/**
 * `npm run test:image [-- NAME…]`: builds the images of docs/how-to/docker.md with buildah, runs each read-only with a volume, and prints their sizes. Needs
 * Linux and root; without NODE_IMAGE, makes the base image from Debian and the npm registry, so that no registry of images is asked.
 */
import { buildImage, isThere, makeBase, removeImages, type ImageSpec } from './images/buildah.ts';
import { runImage } from './images/runImage.ts';

const IMAGES: readonly ImageSpec[] = [
  { name: 'tickmark', file: 'Dockerfile', native: 'cpu' },
  { name: 'tickmark:wasm', file: 'Dockerfile', native: 'none' },
  { name: 'tickmark:gpu', file: 'Dockerfile.gpu', native: 'none' },
];

function reasonToSkip(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'images are built and run as root on Linux';
  if (!isThere('buildah')) return 'buildah is not installed: apt-get install buildah mmdebstrap';
  if (process.env['NODE_IMAGE'] === undefined && !isThere('mmdebstrap'))
    return 'mmdebstrap is not installed, and NODE_IMAGE names no base image';
  return undefined;
}

const reason = reasonToSkip();
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !IMAGES.some((image) => image.name === name));
if (unknown !== undefined) {
  process.stderr.write(`There is no image ${unknown}. The images are ${IMAGES.map(({ name }) => name).join(', ')}.\n`);
  process.exitCode = 2;
} else if (reason !== undefined) process.stdout.write(`skipped: ${reason}\n`);
else {
  const base = process.env['NODE_IMAGE'] ?? makeBase();
  process.stdout.write(
    '| image | served by | TensorFlow | node_modules | tickmark itself | together |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const image of IMAGES.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
    const id = buildImage(image, base);
    const { backend, tensorflow, modules, own, all } = await runImage(id);
    const mb = (value: number): string => `${Math.round(value)} MB`;
    process.stdout.write(`| \`${image.name}\` | ${backend} | ${mb(tensorflow)} | ${mb(modules)} | ${mb(own)} | ${mb(all)} |\n`);
    removeImages();
  }
}
