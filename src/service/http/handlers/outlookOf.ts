import type { ReadQuery } from '../../../contract/query.ts';
import type { ForecastOptions } from '../../../engine/forecast/Forecaster.ts';

/** Ranges and chance that a query, or a live forecast, asks for. */
export const outlookOf = ({
  range,
  above,
}: { readonly [name in 'range' | 'above']?: ReadQuery[name] | undefined }): Pick<ForecastOptions, 'range' | 'above'> => ({
  ...(range === undefined ? {} : { range }),
  ...(above === undefined ? {} : { above }),
});
