import { Console } from './Console.ts';
import { clientService } from './service/clientService.ts';
import { pageService } from './service/pageService.ts';
import { watchService } from './panels/watchService.ts';
import { listenToTheme } from './panels/listenToTheme.ts';

const { worker: reader = '', replay = '', engine: engineUrl = '' } = document.documentElement.dataset;
const service = pageService(clientService(), { workerUrl: replay, engineUrl });
const page = new Console(service, { reader, replay });
listenToTheme(() => page.recolour());
watchService(service, () => page.serviceIsBack());
void page.start();
