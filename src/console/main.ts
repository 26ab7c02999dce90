import { Console } from './Console.ts';
import { clientService } from './service/clientService.ts';
import { watchService } from './panels/watchService.ts';
import { listenToTheme } from './panels/listenToTheme.ts';

const workers = document.documentElement.dataset;
const service = clientService();
const page = new Console(service, { reader: workers['worker'] ?? '', replay: workers['replay'] ?? '' });
listenToTheme(() => page.recolour());
watchService(service, () => page.serviceIsBack());
void page.start();
