import { byId } from '../dom/element.ts';
import { Failure, failureText } from '../service/failureText.ts';
import type { Service } from '../service/Service.ts';

const READY_EVERY_MS = 30_000;
const DOWN_EVERY_MS = 3000;

/** Shows in the page header whether the service answers forecasts, and with which model. Polls more often while it does not. */
export function watchService(service: Service, onReady: () => void): void {
  const box = byId('service', HTMLElement);
  const told = byId('service-text', HTMLElement);
  const say = (state: 'ready' | 'down', text: string): void => {
    if (told.textContent === text) return;
    box.dataset['state'] = state;
    told.textContent = text;
  };
  const look = async (): Promise<void> => {
    let everyMs = READY_EVERY_MS;
    try {
      const { model, backend } = await service.ready();
      if (box.dataset['state'] === 'down') onReady();
      say('ready', `Ready: model ${model} on ${backend}`);
    } catch (error) {
      everyMs = DOWN_EVERY_MS;
      say('down', error instanceof Failure ? failureText(error).title : 'The service does not answer.');
    }
    setTimeout(() => void look(), everyMs);
  };
  void look();
}
