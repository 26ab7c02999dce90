import type { Workspace } from './Workspace.ts';

/** Sums over the tick returns r of a window; n distinct timestamps give n - 1 returns. */
export type ReturnSums = {
  /** sum |r|, sum r^2, sum r_k r_(k-1), sum |r_k| |r_(k-1)|. */
  absolute: number;
  squares: number;
  products: number;
  absoluteProducts: number;
  largest: number;
  /** Smallest nonzero |r|; Infinity if there is none. */
  smallest: number;
  zeros: number;
  /** cov(r_k, r_(k-1)) with divisor n - 1; 0 for fewer than 3 returns. */
  covariance: number;
};

export function measureReturns({ returns, logPrices, count }: Workspace, out: ReturnSums): void {
  let absolute = 0, squares = 0, products = 0, absoluteProducts = 0, largest = 0, smallest = Infinity, zeros = 0; // prettier-ignore
  let before = 0;
  for (let i = 1; i < count; i++) {
    const r = returns[i]!;
    if (r === 0) {
      zeros++;
      before = 0;
      continue;
    }
    const size = Math.abs(r);
    const product = r * before;
    absolute += size;
    squares += r * r;
    products += product;
    absoluteProducts += Math.abs(product);
    if (size > largest) largest = size;
    if (size < smallest) smallest = size;
    before = r;
  }
  const pairs = count - 2;
  // Sums of r_2.. and of ..r_(n-2) telescope to differences of log prices.
  const laterSum = logPrices[count - 1]! - logPrices[1]!;
  const earlierSum = logPrices[count - 2]! - logPrices[0]!;
  out.absolute = absolute;
  out.squares = squares;
  out.products = products;
  out.absoluteProducts = absoluteProducts;
  out.largest = largest;
  out.smallest = smallest;
  out.zeros = zeros;
  out.covariance = pairs < 2 ? 0 : (products - (laterSum * earlierSum) / pairs) / (pairs - 1);
}
