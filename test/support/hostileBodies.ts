/** Bodies of up to a megabyte that take a careless parser seconds, and that must be rejected (docs/explanation/reliability.md, row 6). */
export function hostileBodies(): Record<'deep' | 'deepPrice' | 'longArray' | 'wide' | 'nested', string> {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  return {
    deep,
    deepPrice: `{"Price":${deep}}`,
    longArray: `{"Timestamp":[${'1,'.repeat(500_000)}1]}`,
    wide: `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    nested: '{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000),
  };
}
