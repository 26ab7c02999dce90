import { ACCOUNT_SETTINGS } from './accountSettings.ts';
import { MARKET_SETTINGS } from './marketSettings.ts';
import { MODEL_SETTINGS } from './modelSettings.ts';
import { REQUEST_SETTINGS } from './requestSettings.ts';
import { SERVICE_SETTINGS } from './serviceSettings.ts';
import { TRACE_SETTINGS } from './traceSettings.ts';

/** Settings by theme; `npm run docs:reference` writes one table for each to `docs/reference/settings.md`. */
export const SETTING_THEMES = {
  'Service, log and stop': SERVICE_SETTINGS,
  'Requests and live connections': REQUEST_SETTINGS,
  'Accounts and limits': ACCOUNT_SETTINGS,
  'Watched markets': MARKET_SETTINGS,
  'Model, rules and backend': MODEL_SETTINGS,
  Traces: TRACE_SETTINGS,
} as const;

/** Every setting. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...REQUEST_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...MARKET_SETTINGS,
  ...MODEL_SETTINGS,
  ...TRACE_SETTINGS,
} as const;

export type SettingName = keyof typeof SETTINGS;
