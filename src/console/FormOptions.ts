import type { RequestOptions } from '../../clients/typescript/src/options.ts';

/** The options of a forecast that the form has a field for, as the client and the engine take them; absent: the field is empty. */
export type FormOptions = Omit<RequestOptions, 'barTime' | 'detail' | 'memoryOff' | 'model' | 'range' | 'series' | 'timing'>;
