/** An answer that is longer than anybody reads. */
export class AnswerTooLong extends Error {}

/** As fetch, but it follows no redirect and gives up on an answer that does not end. */
export const boundedFetch =
  (mostBytes: number): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: 'error' });
    const { status, statusText, headers } = answer;
    return new Response(answer.body?.pipeThrough(bounded(mostBytes)) ?? null, { status, statusText, headers });
  };

function bounded(mostBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes) throw new AnswerTooLong(`More than ${mostBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
