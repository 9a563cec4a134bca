// Names of headers and fields in every spelling: privateKey, private-key, PRIVATE_KEY, x-sandbox-key, set-cookie.
const secretName =
  /(private|public|api|access|master|sandbox|secret)key$|token$|secret$|password$|cookie$|authorization$/;
const hidden = '[hidden]';

/**
 * What is to be logged, with the values of keys, tokens and cookies hidden, however deep they lie. Libraries log what
 * they like when they are asked to say everything, whole headers included.
 */
export function withoutSecrets<T>(value: T): T {
  return cleaned(value, []) as T;
}

function cleaned(value: unknown, above: readonly object[]): unknown {
  if (!isPlain(value) || above.includes(value)) return value;
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((item) => cleaned(item, path));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name, inner) ? hidden : cleaned(inner, path)]),
  );
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));

/** A number or a yes is none: tokens are counted, and cookies allowed. */
const isSecret = (name: string, value: unknown) =>
  (typeof value === 'string' || Array.isArray(value)) && secretName.test(name.replaceAll(/[-_ ]/g, '').toLowerCase());
