/** Which time of a bar its timestamp is: its beginning or its end. A wrong answer is a lookahead of one bar, so it is never guessed. */
export type BarTime = 'open' | 'close';
