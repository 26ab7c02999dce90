import { byId } from '../dom/element.ts';
import { Failure, failureText } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';

const READY_EVERY_MS = 30_000;
const DOWN_EVERY_MS = 3000;

/** Says in the page header if the service does not answer. Polls more often then. */
export function watchService(service: Service, onReady: () => void): void {
  const box = byId('service', HTMLElement);
  const told = byId('service-text', HTMLElement);
  const say = (state: 'ready' | 'down', text: string): void => {
    box.dataset['state'] = state;
    told.textContent = text;
  };
  const look = async (): Promise<void> => {
    let everyMs = READY_EVERY_MS;
    try {
      await service.ready();
      if (box.dataset['state'] === 'down') onReady();
      say('ready', '');
    } catch (error) {
      everyMs = DOWN_EVERY_MS;
      say('down', error instanceof Failure ? failureText(error).title : 'The service does not answer.');
    }
    setTimeout(() => void look(), everyMs);
  };
  void look();
}
