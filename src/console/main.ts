import { Console } from './Console.ts';
import { clientService } from './service/clientService.ts';
import { watchService } from './panels/watchService.ts';
import { listenToTheme } from './panels/listenToTheme.ts';

const service = clientService();
const page = new Console(service, document.documentElement.dataset['worker'] ?? '');
listenToTheme(() => page.recolour());
watchService(service, () => page.serviceIsBack());
void page.start();
