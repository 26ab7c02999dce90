/** Whether a list counts units since 1970: its first and its last entry are numbers. One number among texts is a mistake, not another form. */
export function isEpochList(timestamps: readonly unknown[]): boolean {
  return typeof timestamps[0] === 'number' && typeof timestamps.at(-1) === 'number';
}
