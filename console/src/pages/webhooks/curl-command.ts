export interface Header {
  name: string;
  value: string;
}

export const headersOf = (headers: Readonly<Record<string, string>>): Header[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Set by curl. */
const ownHeaders = ['host', 'connection', 'content-length'];

/** The request as a command for a POSIX shell. Without `--globoff`, curl expands `[]` and `{}` in the URL. */
export function curlCommand(url: string, headers: readonly Header[], body: string): string {
  const options = headers
    .filter(({ name }) => !ownHeaders.includes(name))
    .map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl --globoff', quoted(url), ...options, `--data-binary ${quoted(body)}`].join(' \\\n  ');
}
