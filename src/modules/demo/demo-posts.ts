import type { PostInput } from '../publishing/index.ts';
import type { DemoCity } from './demo-address.ts';
import type { BusinessKey } from './demo-business.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export interface DemoPost extends Omit<PostInput, 'locationIds' | 'directories'> {
  business: BusinessKey;
  /** The post targets locations with this language. */
  language: DemoCity['language'];
  /** File name of its picture. */
  picture?: string;
}

/** Posts around `now`: some are published immediately, some are scheduled. */
export function demoPosts(now: Date): DemoPost[] {
  const inDays = (days: number, hours = 0) => new Date(now.getTime() + days * dayMs + hours * hourMs).toISOString();
  return [
    {
      business: 'bakery',
      language: 'de',
      picture: 'dinkel-walnuss-brot.jpg',
      type: 'POST',
      description:
        'Neu aus dem Steinofen: unser Dinkel-Walnuss-Brot. Der Teig ruht 24 Stunden, das Mehl kommt aus der Region. ' +
        'Ab sofort jeden Morgen, solange der Vorrat reicht.',
    },
    {
      business: 'bakery',
      language: 'de',
      picture: 'fruehstueck.jpg',
      type: 'OFFER',
      title: 'Frühstück zu zweit',
      description: 'Zwei Frühstücke mit Kaffee, das zweite zum halben Preis.',
      couponCode: 'ZUZWEIT',
      termsAndConditions: 'Montag bis Freitag, einmal je Besuch.',
      dateStart: inDays(0),
      dateEnd: inDays(21),
    },
    {
      business: 'bakery',
      language: 'de',
      type: 'EVENT',
      title: 'Backabend: Sauerteig für Anfänger',
      description: 'Drei Stunden Teig führen, kneten und formen. Das Brot nehmen Sie mit nach Hause.',
      publicationDate: inDays(4),
      dateStart: inDays(12),
      dateEnd: inDays(12, 3),
    },
    {
      business: 'coffee',
      language: 'en',
      picture: 'guji-washed.jpg',
      type: 'POST',
      description:
        'New on the bar: a washed single origin from Guji with notes of bergamot and apricot. Ask for it as a filter, ' +
        'or take a bag home.',
    },
    {
      business: 'coffee',
      language: 'en',
      picture: 'cupping-table.jpg',
      type: 'EVENT',
      title: 'Cupping evening',
      description: 'Taste six coffees side by side with our roasters. Free, twelve places.',
      publicationDate: inDays(2),
      dateStart: inDays(9),
      dateEnd: inDays(9, 2),
    },
    {
      business: 'fitness',
      language: 'en',
      picture: 'free-weights.jpg',
      type: 'POST',
      description:
        'The new free weight area is open: four racks, two platforms and more room between them. See you there!',
    },
    {
      business: 'fitness',
      language: 'en',
      picture: 'open-day.jpg',
      type: 'EVENT',
      title: 'Open day',
      description: 'Train for free all day, bring a friend, and let our coaches show you around.',
      dateStart: inDays(6),
      dateEnd: inDays(6, 10),
    },
  ];
}

/** An SVG without text: it renders the same without any fonts. */
export interface DemoPicture {
  business: BusinessKey;
  fileName: string;
  name: string;
  description: string;
  svg: string;
}

const [width, height] = [1200, 800];

const drawing = (sky: string, ground: string, shapes: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky}"/><stop offset="1" stop-color="#fffaf0"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#sky)"/><rect y="600" width="${width}" height="200" fill="${ground}"/>
${shapes}</svg>`;

const loaf = (x: number, y: number, colour: string) =>
  `<g transform="translate(${x} ${y})"><ellipse rx="230" ry="120" fill="${colour}"/>${[-110, -20, 70]
    .map((at) => `<path d="M${at} 50 q40 -70 20 -130" stroke="#fbe9c9" stroke-width="16" fill="none"/>`)
    .join('')}</g>`;

const cup = (x: number, y: number, colour: string) =>
  `<g transform="translate(${x} ${y})"><path d="M-120 -90 h240 l-30 190 q-4 30 -34 30 h-112 q-30 0 -34 -30 z" fill="${colour}"/>
<path d="M118 -60 q90 10 60 80 q-20 45 -78 40" stroke="${colour}" stroke-width="24" fill="none"/>
<ellipse cy="-90" rx="120" ry="26" fill="#3b2216"/>${[-50, 0, 50]
    .map(
      (at) =>
        `<path d="M${at} -140 q30 -40 0 -80 q-30 -40 0 -80" stroke="#ffffff" stroke-width="12" fill="none" opacity=".7"/>`,
    )
    .join('')}</g>`;

const weight = (x: number, y: number, colour: string) =>
  `<g transform="translate(${x} ${y})" fill="${colour}"><rect x="-260" y="-18" width="520" height="36" rx="18"/>${[
    -240, -180, 140, 200,
  ]
    .map(
      (at, index) =>
        `<rect x="${at}" y="${index % 3 === 0 ? -90 : -130}" width="44" height="${index % 3 === 0 ? 180 : 260}" rx="16"/>`,
    )
    .join('')}</g>`;

export const demoPictures: readonly DemoPicture[] = [
  {
    business: 'bakery',
    fileName: 'dinkel-walnuss-brot.jpg',
    name: 'Dinkel-Walnuss-Brot',
    description: 'Zwei Laibe auf dem Tresen',
    svg: drawing('#f7c873', '#8a5a33', loaf(450, 560, '#b8722c') + loaf(770, 600, '#9c5a1f')),
  },
  {
    business: 'bakery',
    fileName: 'fruehstueck.jpg',
    name: 'Frühstück',
    description: 'Brot und Kaffee am Morgen',
    svg: drawing('#ffd9a0', '#a5744a', loaf(380, 590, '#c07f3a') + cup(860, 520, '#f4f1ea')),
  },
  {
    business: 'coffee',
    fileName: 'guji-washed.jpg',
    name: 'Guji, washed',
    description: 'A cup of the new single origin',
    svg: drawing('#9fc6c2', '#4d3527', cup(600, 500, '#1f6f6b')),
  },
  {
    business: 'coffee',
    fileName: 'cupping-table.jpg',
    name: 'Cupping table',
    description: 'Three cups in a row, as at our cupping evenings',
    svg: drawing('#c9d6c4', '#5b4030', cup(260, 520, '#d9843b') + cup(600, 520, '#1f6f6b') + cup(940, 520, '#e8e2d4')),
  },
  {
    business: 'fitness',
    fileName: 'free-weights.jpg',
    name: 'Free weights',
    description: 'The new free weight area',
    svg: drawing('#b9c9ff', '#2b2f45', weight(600, 470, '#3d3f58')),
  },
  {
    business: 'fitness',
    fileName: 'open-day.jpg',
    name: 'Open day',
    description: 'For the open day: two bars, ready to lift',
    svg: drawing('#ffc2b3', '#353a52', weight(420, 400, '#e2574c') + weight(780, 560, '#3d3f58')),
  },
];
