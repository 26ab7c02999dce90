/** The body of an answer as text, whatever its encoding makes of it. @throws RangeError above so many bytes, which are then not read */
export async function readText(response: Response, mostBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > mostBytes) {
      await reader.cancel().catch(() => undefined);
      throw new RangeError(`the answer is longer than ${Math.floor(mostBytes / 2 ** 20)} MiB`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
