/** Which time of a bar its timestamp is: its beginning or its end. A wrong answer is a lookahead of one bar, so it is never guessed. */
export const BAR_TIMES = ['open', 'close'] as const;
export type BarTime = (typeof BAR_TIMES)[number];
