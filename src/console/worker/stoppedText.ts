/** Why a worker has ended by itself: an event without a message is a script that could not be loaded. */
export const stoppedText = (event: Event): string =>
  event instanceof ErrorEvent
    ? 'the browser stopped it. It may be out of memory.'
    : 'a part of this page could not be loaded. The service does not answer, or another release runs: reload the page once it does.';
