import type { CutLine, Payoff, PayoffTable, Wish } from './payoff.ts';

const percent = (share: number): string => (Number.isNaN(share) ? 'none' : `${(100 * share).toFixed(1)} %`);
/** `-0.00` would look like a loss. */
function bps(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return `${Number(text) === 0 ? '' : value < 0 ? '-' : '+'}${text} bps`;
}

/** Whether trades on the marks with a right direction each time would surely have paid. */
function hasPaid({ count, perfectInterval95 }: Payoff): boolean {
  return count > 0 && perfectInterval95 !== null && perfectInterval95[0] > 0;
}

/** Whether the marks would have paid, in one sentence, without praise for what volatility alone does as well. `isOwn`: the cost is the caller's, not the default threshold; `spreadBps`: of quotes. */
export function paidText({ marks, baseline }: PayoffTable, isOwn: boolean, spreadBps?: number): string {
  const spread = spreadBps === undefined ? '' : `; the spread is ${spreadBps.toPrecision(3)} bps`;
  const cost = isOwn ? 'your cost' : `their thresholds (no cost was named${spread})`;
  if (marks.count === 0) return 'Would it have paid? Nothing was marked.';
  const gain = `moves ended ${bps(marks.perfectBps)} beyond ${cost} on average${intervalText(marks)}`;
  const alone = `${bps(baseline.perfectBps)} for as many by volatility alone`;
  if (marks.perfectBps <= 0) return `Would it have paid? No, not even with the right direction each time: ${gain}.`;
  if (hasPaid(marks) && marks.perfectBps > baseline.perfectBps)
    return `Would it have paid? With the right direction each time, yes: ${gain}; ${alone}.`;
  if (hasPaid(marks)) return `Would it have paid? No better than volatility alone: ${gain}; ${alone}.`;
  return `Would it have paid? Not shown, even with the right direction each time: ${gain}.`;
}

function intervalText({ perfectInterval95: interval }: Payoff): string {
  return interval === null ? ' (too few hours for an interval)' : ` (95 % interval ${bps(interval[0])} to ${bps(interval[1])})`;
}

/** Cells of a line: windows, hits, right direction. */
export function payoffCells(payoff: Payoff): readonly [windows: string, hits: string, perfect: string] {
  const { count, share, hitRate, hitInterval90, perfectBps } = payoff;
  if (count === 0) return ['0', 'none', 'none'];
  const hits = `${percent(hitRate)} (${percent(hitInterval90[0])} to ${percent(hitInterval90[1])})`;
  return [`${count} (${percent(share)})`, hits, `${bps(perfectBps)}${intervalText(payoff)}`];
}

/** Name and payoff of the three lines of a table. */
export function payoffLines({ marks, baseline, all }: PayoffTable): readonly (readonly [name: string, payoff: Payoff])[] {
  return [
    ['marks', marks],
    ['as many by the volatility baseline', baseline],
    ['all windows', all],
  ];
}

/** Cells of a line of the table of cuts: smallest marked probability, windows, hits, hits of as many by the baseline, right direction. */
export function cutCells({ cut, model, baseline }: CutLine): readonly string[] {
  const [windows, hits, perfect] = payoffCells(model);
  return [percent(cut), windows, hits, percent(baseline.hitRate), perfect];
}

export const CUT_HEAD = ['marked from', 'windows', 'hits (90 % interval)', 'hits of as many by the baseline', 'right direction'] as const;

export const PAYOFF_HEAD = ['chosen', 'windows', 'hits (90 % interval)', 'right direction: mean beyond the cost'] as const;

/** The cut that fulfils a wish, in a sentence. */
export function wishText(wish: Wish, line: CutLine | null): string {
  const part = (share: number): string => `${Number((100 * share).toFixed(1))} %`;
  const wanted = 'share' in wish ? `marks on ${part(wish.share)} of the windows` : `hits in ${part(wish.hitRate)} of the marks`;
  return proposalText(wanted, line);
}

/** A proposed cut, in a sentence. */
export function proposalText(wish: string, line: CutLine | null): string {
  if (line === null) return `For ${wish}, the earlier half of the windows gives no cut.`;
  const cut = `For ${wish}: min_probability ${line.cut}, chosen on the earlier half`;
  if (line.model.count === 0) return `${cut}. On the later half it marks nothing.`;
  const [windows, hits] = payoffCells(line.model);
  return `${cut}. On the later half it marks ${windows}, hits ${hits}; as many by the baseline: ${percent(line.baseline.hitRate)}.`;
}
