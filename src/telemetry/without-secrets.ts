// Names of headers and fields in every spelling: privateKey, private-key, PRIVATE_KEY, x-sandbox-key, set-cookie.
const secretName =
  /(private|public|api|access|master|sandbox|secret)key$|token$|secret$|password$|cookie$|authorization$/;
const hidden = '[hidden]';
// Lines have the same few names again and again; those of foreign headers are not remembered without end.
const judged = new Map<string, boolean>();
const mostJudged = 1000;

/**
 * What is to be logged, with the values of keys, tokens and cookies hidden, however deep they lie. Libraries log what
 * they like when they are asked to say everything, whole headers included.
 */
export function withoutSecrets<T>(value: T): T {
  return cleaned(value, []) as T;
}

/** What has nothing to hide is not copied: a line is written for every delivery. */
function cleaned(value: unknown, above: readonly object[]): unknown {
  if (!isPlain(value) || above.includes(value)) return value;
  const path = [...above, value];
  let copy: Record<string, unknown> | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const shown = isSecret(name, inner) ? hidden : typeof inner === 'object' ? cleaned(inner, path) : inner;
    if (shown === inner) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return copy ?? value;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));

/** A number or a yes is none: tokens are counted, and cookies allowed. */
const isSecret = (name: string, value: unknown) =>
  (typeof value === 'string' || Array.isArray(value)) && isSecretName(name);

function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isOne = secretName.test(name.replaceAll(/[-_ ]/g, '').toLowerCase());
  if (judged.size < mostJudged) judged.set(name, isOne);
  return isOne;
}
