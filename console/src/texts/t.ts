import { en } from './en.ts';

type Texts = typeof en;

type Leaves<Node> = {
  [Key in keyof Node & string]: Node[Key] extends string ? Key : `${Key}.${Leaves<Node[Key]>}`;
}[keyof Node & string];

/** Path of a text: `users.title`. */
export type TextKey = Leaves<Texts>;

type TextAt<Key extends string, Node = Texts> = Key extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Node
    ? TextAt<Rest, Node[Head]>
    : never
  : Key extends keyof Node
    ? Node[Key]
    : never;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** Keys of texts without parameters. */
export type PlainKey = { [Key in TextKey]: [NamesIn<TextAt<Key>>] extends [never] ? Key : never }[TextKey];

type Values<Key extends string> = [NamesIn<TextAt<Key>>] extends [never]
  ? []
  : [values: Record<NamesIn<TextAt<Key>>, string | number>];

/** Returns the text with its {names} filled in. Unknown keys and missing values do not compile. */
export function t<Key extends TextKey>(key: Key, ...values: Values<Key>): string {
  return fill(textAt(key), values[0]);
}

/** Keys with `one` and `other` forms. */
type CountKey = TextKey extends infer Key ? (Key extends `${infer Stem}.one` ? Stem : never) : never;

const rules = new Intl.PluralRules('en');
const wholeNumbers = new Intl.NumberFormat('en');

/** `tn('users.count', 3)`: plural form with {count}. */
export function tn<Stem extends CountKey>(
  stem: Stem,
  count: number,
  values: Record<string, string | number> = {},
): string {
  const form = rules.select(count) === 'one' ? 'one' : 'other';
  return fill(textAt(`${stem}.${form}`), { ...values, count: wholeNumbers.format(count) });
}

/** The values that have a text, in the order of the texts. A value without a text does not compile. */
export const keysOf = <Value extends string>(texts: Readonly<Record<Value, string>>) => Object.keys(texts) as Value[];

/** Text of an API value such as LOCATION_MANAGER, or the value in words. */
export function textOrWords(stem: string, value: string): string {
  return find(`${stem}.${value}`) ?? inWords(value);
}

/** WAITING_USER_ACTION → Waiting user action; parkingNotes → Parking notes */
export function inWords(value: string): string {
  const words = value
    .replaceAll('_', ' ')
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Text of a dynamic key, if it exists. */
export const textIfAny = (key: string): string | undefined => find(key);

function find(key: string): string | undefined {
  let node: unknown = en;
  for (const part of key.split('.')) node = (node as Record<string, unknown> | undefined)?.[part];
  return typeof node === 'string' ? node : undefined;
}

const textAt = (key: string): string => find(key) ?? key;

const fill = (text: string, values: Record<string, string | number> = {}) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
