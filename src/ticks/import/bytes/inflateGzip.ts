import { ServiceError } from '../../../core/ServiceError.ts';
import { fileFault } from '../ImportReport.ts';

/** The bytes of a gzip stream, from the inflater of the platform: it checks length and checksum, and applies backpressure. */
export async function* inflateGzip(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const packed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  const reader = packed.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    isDone = true;
    throw gzipFault(error, name);
  } finally {
    if (!isDone) await reader.cancel();
  }
}

/** What an inflater throws, in words; a ServiceError of the source stays as it is. */
export function gzipFault(error: unknown, name: string): ServiceError {
  if (error instanceof ServiceError) return error;
  // Node.js 20 has it in the message, 24 in the code alone, browsers in words of their own.
  const { code, message } = error as Error & { readonly code?: string };
  const isCut = code === 'Z_BUF_ERROR' || /unexpected end|premature|incomplete|truncated/i.test(message);
  return fileFault(
    name,
    '',
    isCut ? 'the gzip data end too early: the file is cut off' : 'the gzip data are corrupt or cut off',
    'Download the file again.',
  );
}

type ReadableWritablePair<Out, In> = { readonly readable: ReadableStream<Out>; readonly writable: WritableStream<In> };
