/** Order of the parts of a date; `packed` is YYYYMMDD. */
export type DateOrder = 'ymd' | 'dmy' | 'mdy' | 'packed';
export type CalendarForm = {
  readonly kind: 'calendar';
  readonly order: DateOrder;
  /** Date and time stand in two columns. */
  readonly isSplit: boolean;
  /** The year has two digits: 70 to 99 are of the last century. Default: four. */
  readonly isShortYear?: boolean;
  /** The month is an English name, whole or its first letters: 22-Nov-2026. Default: a number. */
  readonly namesMonth?: boolean;
};
export type EpochUnit = 's' | 'ms' | 'us' | 'ns';
/** How the stamps of a file are written. */
export type StampForm = CalendarForm | { readonly kind: 'epoch'; readonly unit: EpochUnit };

export const STAMP_MALFORMED = -1;
export const STAMP_NOT_A_TIME = -2;
export const STAMP_OTHER_UNIT = -3;
