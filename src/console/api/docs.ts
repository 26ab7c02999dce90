import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { byId } from '../dom/element.ts';
import { listenToTheme } from '../panels/listenToTheme.ts';
import { askForKey, keptKey } from '../service/keptKey.ts';

type Parameter = { readonly required?: boolean; example?: unknown };
type Operation = { readonly operationId: string; readonly tags: readonly string[] };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
};

const response = await fetch('/openapi.json');
const spec = (await response.json()) as Document;
// The form would send the examples of all parameters together, and some exclude each other.
for (const parameter of Object.values(spec.components.parameters)) if (parameter.required !== true) delete parameter.example;

// `/docs/NAME` opens the route with this operationId.
const name = location.pathname.split('/').at(2);
const named = Object.values(spec.paths)
  .flatMap((methods) => Object.values(methods))
  .find(({ operationId }) => operationId === name);
if (named !== undefined) history.replaceState(null, '', `/docs#/${named.tags[0]}/${named.operationId}`);

const ui = SwaggerUI({
  ...{ spec, domNode: byId('api', HTMLElement), deepLinking: true, filter: true, tryItOutEnabled: true, displayRequestDuration: true },
  ...{ docExpansion: 'list', defaultModelsExpandDepth: 0, syntaxHighlight: { activated: false }, validatorUrl: null },
  onComplete() {
    const take = (key: string): void => ui.preauthorizeApiKey('ApiKey', key);
    const kept = keptKey();
    if (kept === null) askForKey(take);
    else take(kept);
  },
});
const system = matchMedia('(prefers-color-scheme: dark)');
const paint = (): void => {
  const isDark = (document.documentElement.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  document.documentElement.classList.toggle('dark-mode', isDark);
};
byId('theme', HTMLButtonElement).hidden = false;
listenToTheme(paint);
paint();
