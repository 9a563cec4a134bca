export class ResponseTooLarge extends Error {}

/** fetch without redirects that fails when the response exceeds `maxBytes`. */
export const boundedFetch =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    const { status, statusText, headers } = response;
    return new Response(response.body?.pipeThrough(bounded(maxBytes)) ?? null, { status, statusText, headers });
  };

function bounded(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ResponseTooLarge(`More than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
