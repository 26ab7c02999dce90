import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { Console } from '../Console.ts';
import { byId } from '../dom/element.ts';
import { listenToTheme } from '../panels/listenToTheme.ts';
import { watchService } from '../panels/watchService.ts';
import { windowOfBody } from '../sampleSource.ts';
import { pageService } from '../service/pageService.ts';
import { noService } from './noService.ts';
import { engine, manifest, reader } from './texts.js';

/** The console without a service: the same page, on the engine in a worker. Workers from texts run under the policy of the page, on any host. */
const urlOf = (text: string): string => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
const workers = { reader: urlOf(reader), replay: urlOf(engine) };

// What needs a service, or a key for it.
for (const hidden of document.querySelectorAll<HTMLElement>(
  '#record-link, .views [target], #live-watch, #account-open, #call, .of-service',
))
  hidden.hidden = true;
byId('file-hint', HTMLElement).textContent = 'Any size: the file is read in your browser, and never leaves this page.';
const stayHere = (): void => {
  if (location.hash === '#record') history.replaceState(null, '', location.pathname);
};
addEventListener('hashchange', stayHere);
stayHere();

const service = pageService(noService(manifest), { workerUrl: workers.replay, engineUrl: '', served: 'any' });
const asked = { key: null, options: {}, signal: new AbortController().signal };
const page = new Console({ ...service, sampleForecast: () => service.forecast(windowOfBody(sampleRequest()), asked) }, workers);
listenToTheme(() => page.recolour());
watchService(service, () => page.serviceIsBack());
void page.start();
