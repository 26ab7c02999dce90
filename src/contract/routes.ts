import { ACCOUNT_ROUTES } from './accountRoutes.ts';
import { CATALOG_ROUTES } from './catalogRoutes.ts';
import { FORECAST_ROUTES } from './forecastRoutes.ts';
import { MARKET_ROUTES } from './marketRoutes.ts';
import { SERVICE_ROUTES } from './serviceRoutes.ts';
import { SESSION_ROUTES } from './sessionRoutes.ts';
import { WEBHOOK_ROUTES } from './webhookRoutes.ts';

export { ACCOUNT_BODY_LIMIT_BYTES, TRANSPORT_CODES, type RouteSpec } from './routeSpec.ts';

/** Every route of the service. The router, the OpenAPI document and the tests use this table. */
export const ROUTES = {
  ...FORECAST_ROUTES,
  ...ACCOUNT_ROUTES,
  ...SESSION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...MARKET_ROUTES,
  ...CATALOG_ROUTES,
  ...SERVICE_ROUTES,
} as const;

export type RouteName = keyof typeof ROUTES;
