declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Renders the document; `options` as in https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/. */
  export default function SwaggerUI(options: Readonly<Record<string, unknown>>): { preauthorizeApiKey(scheme: string, key: string): void };
}
