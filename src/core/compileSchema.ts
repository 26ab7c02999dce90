import { Ajv, type Options, type ValidateFunction } from 'ajv';

/**
 * Compiles a schema of this project for a few checks, as of a file that is read once. Holding the schema against that of JSON Schema, and making its code
 * shorter, took more time than compiling it, in each start. Unknown keywords and values of a wrong type are refused without it.
 *
 * @throws Error for such a schema
 */
export function compileSchema<T = unknown>(schema: object, options: Options = {}): ValidateFunction<T> {
  return new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false, code: { optimize: false }, ...options }).compile<T>(schema);
}
