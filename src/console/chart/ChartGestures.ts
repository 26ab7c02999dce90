/** What gestures do to the chart. Places are CSS pixels from its left edge and its top. */
export type GestureActions = {
  /** `factor` below 1 shows less time. Returns whether anything changed. */
  readonly zoom: (atPx: number, factor: number) => boolean;
  /** Moves the picture to the right for positive pixels. Returns whether anything changed. */
  readonly pan: (byPx: number) => boolean;
  readonly reset: () => void;
  /** The crosshair follows the mouse, or one finger. */
  readonly point: (leftPx: number, topPx: number) => void;
  readonly leave: () => void;
  /** Whether there is more than is shown. */
  readonly canPan: () => boolean;
};

/** A turn of the wheel by this many pixels doubles or halves the range. */
const WHEEL_PX = 420;
/** Pixels of a line, where a wheel counts in lines. */
const LINE_PX = 16;
/** A wheel that scrolls the page goes on scrolling it over the chart for this long. */
const SCROLL_MS = 250;

/** Zooms with the wheel and two fingers, pans with the mouse and one finger, and goes back to the usual part on a double click. */
export function listenToGestures(over: HTMLElement, actions: GestureActions): void {
  const leftOf = ({ clientX }: { readonly clientX: number }): number => clientX - over.getBoundingClientRect().left;
  listenToWheel(over, actions, leftOf);
  over.addEventListener('dblclick', () => actions.reset());
  over.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && actions.leave());
  const pointers = new Map<number, PointerEvent>();
  const spread = (): { middle: number; apart: number } => {
    const [a, b] = [...pointers.values()].map(leftOf) as [number, number];
    return { middle: (a + b) / 2, apart: Math.max(20, Math.abs(a - b)) };
  };
  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    pointers.set(event.pointerId, event);
    over.setPointerCapture(event.pointerId);
    over.toggleAttribute('data-dragged', actions.canPan());
  });
  over.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    const topPx = event.clientY - over.getBoundingClientRect().top;
    if (pointers.size === 0) actions.point(leftOf(event), topPx);
    if (before === undefined || pointers.size > 2) return;
    if (pointers.size === 2) {
      const old = spread();
      pointers.set(event.pointerId, event);
      const now = spread();
      actions.zoom(now.middle, old.apart / now.apart);
      actions.pan(now.middle - old.middle);
      return;
    }
    pointers.set(event.pointerId, event);
    if (actions.canPan()) actions.pan(leftOf(event) - leftOf(before));
    actions.point(leftOf(event), topPx);
  });
  for (const name of ['pointerup', 'pointercancel'] as const)
    over.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      over.removeAttribute('data-dragged');
    });
}

function listenToWheel(over: HTMLElement, actions: GestureActions, leftOf: (event: WheelEvent) => number): void {
  let scrolledMs = -Infinity;
  addEventListener(
    'wheel',
    (event) => {
      if (!(event.target instanceof Node && over.contains(event.target))) scrolledMs = event.timeStamp;
    },
    { passive: true, capture: true },
  );
  over.addEventListener(
    'wheel',
    (event) => {
      if (event.timeStamp - scrolledMs < SCROLL_MS) {
        scrolledMs = event.timeStamp;
        return;
      }
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      const [x, y] = [event.deltaX * unit, event.deltaY * unit];
      const isPan = event.shiftKey || Math.abs(x) > Math.abs(y);
      const isDone = isPan ? actions.pan(-(x || y)) : actions.zoom(leftOf(event), 2 ** (y / WHEEL_PX));
      // What changes nothing scrolls the page: the chart never traps the wheel.
      if (isDone) event.preventDefault();
    },
    { passive: false },
  );
}
