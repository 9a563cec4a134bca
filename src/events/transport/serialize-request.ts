/**
 * Serializes the request for a single write. Headers contain no user input, and the URL is ASCII after the address guard,
 * so nothing has to be escaped.
 */
export function serializeRequest(url: URL, headers: Readonly<Record<string, string>>, body: string): SerializedRequest {
  const bytes = Buffer.byteLength(body);
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
  head += `content-length: ${bytes}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  // latin1 is faster to write and equal to UTF-8 for ASCII.
  return { text: `${head}\r\n${body}`, encoding: bytes === body.length ? 'latin1' : 'utf8' };
}

export interface SerializedRequest {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}
