const COLOUR_NAMES = ['ink', 'soft', 'grid', 'card', 'price', 'after', 'band', 'range', 'mark', 'accent', 'good', 'bad'] as const;

export type Colours = Readonly<Record<(typeof COLOUR_NAMES)[number], string>>;

/** The colours of the present scheme as a canvas takes them: `light-dark()` is resolved by an element that wears them. */
export function readColours(): Colours {
  const probe = document.createElement('span');
  probe.hidden = true;
  // Else all of them would be the colour of text.
  probe.style.forcedColorAdjust = 'none';
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(COLOUR_NAMES.map((name) => [name, read(name)]));
  probe.remove();
  return colours as Colours;
}
