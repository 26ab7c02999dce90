import { type Column, CONTEXT_TABLE, PRICE_TABLE, SEQUENCE_TABLE, TEMPO_TABLE, THRESHOLD_TABLE } from '../../src/features/columns.ts';

const HEAD = `# Features

For developers of models: every input column of the network, with formula, scale and clip.

This page is generated from \`src/features/columns.ts\` by \`node --import tsx test/golden/makeFeatures.ts\`; a test
compares the two.

The network receives a sequence of 96 x 10 values and a context of ${CONTEXT_TABLE.length}. All values are computed from the ticks sent, the
future timestamp and the threshold theta. No instrument, no time of day and nothing after the last tick is used.

## The window

- Timestamps are truncated to ms and taken relative to the last one; equal timestamps collapse to the last price.
- The window starts after the last gap longer than max(30 min, 50 median gaps). That median is over the distinct
  timestamps before the cut.
- Log prices lp are relative to the last price. A price within 1e-9 of the last one that counted as a change is that
  price (r = 0).
- The horizon H is the future timestamp minus the last tick, both truncated to ms, at least 1 ms.
- There are no features if there are fewer than 40 distinct timestamps, all ticks have one timestamp, sigma(600) = 0, or
  a value is not finite. The reason has a name (\`too_few_distinct_ticks\`, \`window_without_duration\`,
  \`constant_price\`, \`feature_not_finite\`).
- The weights of sigma(tau) belong to the later patch of each move; their age is measured from the last patch (the same
  ratio).

## The sequence

Rows 0 to 31 are equal-count patches over the whole window. Rows 32 to 95 are equal-count patches over its last 192
returns (all of them if there are fewer). A patch runs from the tick at its start boundary to the tick at its end
boundary. With fewer than 64 returns, a fine patch that would be empty repeats the return at its boundary, so there are
always 96 rows and no padding.

## How to read the tables

Input = (formula - center) * scale, then clipped to [low, high] or, for *squash b*, x / (1 + |x| / b), which is
within b. "Undefined" is the input if the formula has no value (0/0); "never" means that it always has one. "Mirror" is
the effect of replacing every price p by 1/p: *same*, *negate* (-x), *one_minus* (1 - x), *swap* (the two excursions
swap places and signs).

| symbol | meaning |
| --- | --- |
| n | distinct timestamps |
| T | time relative to the origin |
| r | tick returns |
| W | window |
| H | horizon |
| s, S | s = sigma(600), S = s sqrt(H) |
| g | median gap |
| D, Dm | duration of a patch, mean duration of the patches of its stream |
| M | mean log price of a patch of five ticks |
| w, C | weight and mean timestamp of such a patch in sigma(tau) |
| theta, theta\\* | the threshold, the default threshold |
| q, c | the terms of the formula of the default threshold |
| d | the smallest nonzero \\|r\\| |
`;

/** The text of docs/reference/features.md. */
export function featuresPage(): string {
  return [
    HEAD,
    section('Sequence', SEQUENCE_TABLE),
    section('Context: threshold', THRESHOLD_TABLE, 0),
    section('Context: tempo', TEMPO_TABLE, THRESHOLD_TABLE.length),
    section('Context: prices', PRICE_TABLE, THRESHOLD_TABLE.length + TEMPO_TABLE.length),
  ].join('\n');
}

function section(title: string, table: readonly Column[], first = 0): string {
  const rows = table.map((column, i) => {
    const bounds = column.isSquashed ? `squash ${column.high}` : `${column.low} to ${column.high}`;
    const scale = `${column.center === 0 ? '' : `center ${column.center}, `}${shortNumber(column.scale)}`;
    const formula = column.formula.replaceAll('|', '\\|').replaceAll('*', '\\*');
    return `| ${first + i} | ${column.name} | ${formula} | ${scale} | ${bounds} | ${column.undefinedAs ?? 'never'} | ${column.mirror} |`;
  });
  return [
    `## ${title}`,
    '',
    '| # | column | formula | scale | clip | undefined | mirror |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
