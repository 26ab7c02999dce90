export const FORECAST_PATH = '/auth/ti-tick';
/** A request may be shed before its content is checked, and its deadline may pass in the queue. */
export const SHED: readonly number[] = [503, 504];

export type BadCall = {
  readonly statuses: readonly number[];
  readonly body?: (good: string) => string;
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
};

/** Requests with a valid key that break one rule each, and the required statuses. */
export const BAD_CALLS: readonly BadCall[] = [
  { statuses: [400, ...SHED], body: (good) => good.slice(0, -9) },
  { statuses: [400, ...SHED], body: (good) => good.replace('"Price":[', '"Price":[NaN,') },
  { statuses: [422, ...SHED], body: () => '{"Timestamp":[],"Price":[]}' },
  { statuses: [422, ...SHED], body: (good) => good.replace('"Price":[', '"Price":[-') },
  { statuses: [415, ...SHED], type: 'text/plain' },
  { statuses: [404, ...SHED], path: `${FORECAST_PATH}?model=none` },
  { statuses: [422, ...SHED], path: `${FORECAST_PATH}?colour=red` },
  { statuses: [405], method: 'PUT' },
  { statuses: [404], path: '/nothing' },
];
