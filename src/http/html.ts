/** Escaped HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | false | readonly Value[];

/** Template tag that escapes its values, except Html; undefined and false are omitted. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.map((part, index) => part + (index < values.length ? htmlOf(values[index]) : ''));
  return new Html(text.join(''));
}

function htmlOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(htmlOf).join('') : escaped(String(value));
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML and quoted attributes. */
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
