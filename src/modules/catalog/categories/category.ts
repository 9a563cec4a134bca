import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** OpenStreetMap's tagging schema: https://github.com/openstreetmap/id-tagging-schema */
const folder = join(
  dirname(createRequire(import.meta.url).resolve('@openstreetmap/id-tagging-schema/package.json')),
  'dist',
);

type Tags = Record<string, string>;

/** A type of map feature. */
interface Preset {
  tags: Tags;
  addTags?: Tags;
  geometry: string[];
  fields?: string[];
  moreFields?: string[];
  searchable?: boolean;
  replacement?: string;
}

interface PresetWords {
  name?: string;
  aliases?: string[];
  terms?: string[];
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** Presets by path, without templates ("@…"). */
export function readPresets(): Map<string, Preset> {
  const presets = Object.entries(readJson('presets.min.json') as Record<string, Preset>);
  return new Map(presets.filter(([path]) => !path.startsWith('@')));
}

/** Deprecated tags and their replacements. */
function readDeprecatedTags(): { old: Tags; replace?: Tags }[] {
  return readJson('deprecated.min.json');
}

/** Language codes of the package, such as `de`, `pt-BR`, `be@tarask`. */
export function readLanguages(): string[] {
  return readdirSync(join(folder, 'translations'))
    .filter((file) => file.endsWith('.min.json') && file !== 'index.min.json')
    .map((file) => file.slice(0, -'.min.json'.length));
}

interface FieldWords {
  label?: string;
  options?: Record<string, string | { title?: string }>;
}

interface Translation {
  presets?: Record<string, PresetWords>;
  fields?: Record<string, FieldWords>;
}

const readTranslation = (language: string): Translation => {
  const file = readJson('translations', `${language}.min.json`) as Record<string, { presets?: Translation }>;
  return file[language]?.presets ?? {};
};

/** Translated preset names by path. */
export const readWords = (language: string): Record<string, PresetWords> => readTranslation(language).presets ?? {};

/** Translated options of a field, such as payment methods. */
export function readOptions(language: string, field: string): Map<string, string> {
  const options = Object.entries(readTranslation(language).fields?.[field]?.options ?? {});
  return new Map(
    options.flatMap(([option, words]) => {
      const title = typeof words === 'string' ? words : words.title;
      return title ? [[option, title] as const] : [];
    }),
  );
}

/** A type of business location. */
export interface Category {
  /** Stable: derived from the path. */
  readonly id: number;
  /** Path in the category tree, such as `amenity/restaurant`. */
  readonly path: string;
  readonly parent: number | undefined;
  /** Whether locations can be assigned to it. */
  readonly selectable: boolean;
  /** Id of the category that replaced it. */
  readonly mergedInto: number | undefined;
}

/** 31 bits of a hash of the path, the same on every installation. A test checks that no two categories share an id. */
export const categoryId = (path: string): number =>
  Buffer.from(hash('sha256', path, 'hex').slice(0, 8), 'hex').readUInt32BE() >>> 1;

/** Preset fields that indicate a place with customers. */
const customerFields = ['address', 'phone', 'opening_hours', 'website', 'brand', 'payment_multi'];

/** All presets, followed by deprecated tags that a preset replaces. */
export function buildCategories(): Category[] {
  const presets = readPresets();
  const successors = new Successors(presets);
  const categoryOf = (path: string, selectable: boolean, successor: string | undefined): Category => ({
    id: categoryId(path),
    path,
    parent: parentOf(path, presets),
    selectable,
    mergedInto: successor === undefined ? undefined : categoryId(successor),
  });
  const categories = [...presets].map(([path, preset]) => {
    const successor = successors.of(path, preset);
    return categoryOf(path, successor === undefined && isPlaceOfBusiness(preset), successor);
  });
  const retired = [...successors.ofDeprecatedTags()].map(([path, successor]) => categoryOf(path, false, successor));
  return [...categories, ...retired];
}

/** The parent of `amenity/fast_food/pizza` is `amenity/fast_food`, or `amenity` if there is no such preset. */
function parentOf(path: string, presets: ReadonlyMap<string, Preset>): number | undefined {
  const steps = path.split('/');
  while (steps.pop()) {
    const above = steps.join('/');
    if (presets.has(above)) return categoryId(above);
  }
  return undefined;
}

const isAbstract = ({ tags }: Preset) => Object.keys(tags).length === 0 || Object.values(tags).includes('*');

const isSearchable = ({ searchable = true }: Preset) => searchable;

function isPlaceOfBusiness(preset: Preset): boolean {
  const fields = [...(preset.fields ?? []), ...(preset.moreFields ?? [])];
  return (
    isSearchable(preset) &&
    !isAbstract(preset) &&
    preset.geometry.some((shape) => shape === 'point' || shape === 'area') &&
    customerFields.some((field) => fields.includes(field))
  );
}

type Candidate = readonly [path: string, preset: Preset];

/** Finds the preset that replaces another preset or deprecated tags. */
class Successors {
  readonly #presets: ReadonlyMap<string, Preset>;
  readonly #deprecatedTags = readDeprecatedTags();
  readonly #candidates: readonly Candidate[];
  readonly #byFirstTag: ReadonlyMap<string, readonly Candidate[]>;

  constructor(presets: ReadonlyMap<string, Preset>) {
    this.#presets = presets;
    this.#candidates = [...presets].filter(([, preset]) => isSearchable(preset) && !isAbstract(preset));
    this.#byFirstTag = Map.groupBy(this.#candidates, ([, { tags }]) => tagNames(tags)[0] as string);
  }

  /** Only presets that are no longer searchable have a successor. */
  of(path: string, preset: Preset): string | undefined {
    if (isSearchable(preset) || isAbstract(preset)) return undefined;
    if (preset.replacement && this.#presets.has(preset.replacement)) return preset.replacement;
    const replace = this.#deprecatedTags.find(({ old }) => contains(preset.tags, old))?.replace;
    return (replace && this.#best(replace)) ?? this.#sameTags(preset) ?? this.#sameName(path, preset);
  }

  /** For example, `shop/seafood` replaces `shop/fishmonger`. */
  ofDeprecatedTags(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { old, replace } of this.#deprecatedTags) {
      const [[key, value] = ['', '*'], ...others] = Object.entries(old);
      const path = `${key}/${value}`;
      if (others.length > 0 || value === '*' || !this.#presets.has(key) || this.#presets.has(path)) continue;
      const successor = replace && this.#best(replace);
      if (successor !== undefined) found.set(path, successor);
    }
    return found;
  }

  /** The preset with the most matching tags. */
  #best(tags: Tags): string | undefined {
    const [best] = tagNames(tags)
      .flatMap((tag) => this.#byFirstTag.get(tag) ?? [])
      .filter(([, preset]) => contains(tags, preset.tags))
      .sort(([, a], [, b]) => Object.keys(b.tags).length - Object.keys(a.tags).length);
    return best?.[0];
  }

  #sameTags({ tags }: Preset): string | undefined {
    return this.#candidates.find(([, other]) => contains(other.tags, tags) && contains(tags, other.tags))?.[0];
  }

  /** For example, `education/school` replaces `amenity/school` and still sets its tag. */
  #sameName(path: string, { tags }: Preset): string | undefined {
    const name = path.slice(path.lastIndexOf('/'));
    return this.#candidates.find(
      ([other, { addTags }]) => addTags && contains(addTags, tags) && other.endsWith(name),
    )?.[0];
  }
}

const contains = (tags: Tags, part: Tags) => Object.entries(part).every(([key, value]) => tags[key] === value);

const tagNames = (tags: Tags) => Object.entries(tags).map(([key, value]) => `${key}=${value}`);
