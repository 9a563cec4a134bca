import type { PostInput } from '../publishing/index.ts';
import type { DemoCity } from './demo-address.ts';
import type { BusinessKey } from './demo-business.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export interface DemoPost {
  business: BusinessKey;
  /** The post targets locations with this language. */
  language: DemoCity['language'];
  /** File name of its picture. */
  picture?: string;
  input: Omit<PostInput, 'locationIds'>;
}

const directories = ['GOOGLE', 'FACEBOOK'];

/** Posts around `now`: some are published immediately, some are scheduled. */
export function demoPosts(now: Date): DemoPost[] {
  const inDays = (days: number, hours = 0) => new Date(now.getTime() + days * dayMs + hours * hourMs).toISOString();
  return [
    {
      business: 'bakery',
      language: 'de',
      picture: 'dinkel-walnuss-brot.jpg',
      input: {
        type: 'POST',
        directories,
        description:
          'Neu aus dem Steinofen: unser Dinkel-Walnuss-Brot. Der Teig ruht 24 Stunden, das Mehl kommt aus der Region. ' +
          'Ab sofort jeden Morgen, solange der Vorrat reicht.',
      },
    },
    {
      business: 'bakery',
      language: 'de',
      picture: 'fruehstueck.jpg',
      input: {
        type: 'OFFER',
        directories,
        title: 'Frühstück zu zweit',
        description: 'Zwei Frühstücke mit Kaffee, das zweite zum halben Preis.',
        couponCode: 'ZUZWEIT',
        termsAndConditions: 'Montag bis Freitag, einmal je Besuch.',
        dateStart: inDays(0),
        dateEnd: inDays(21),
      },
    },
    {
      business: 'bakery',
      language: 'de',
      input: {
        type: 'EVENT',
        directories,
        title: 'Backabend: Sauerteig für Anfänger',
        description: 'Drei Stunden Teig führen, kneten und formen. Das Brot nehmen Sie mit nach Hause.',
        publicationDate: inDays(4),
        dateStart: inDays(12),
        dateEnd: inDays(12, 3),
      },
    },
    {
      business: 'coffee',
      language: 'en',
      picture: 'guji-washed.jpg',
      input: {
        type: 'POST',
        directories,
        description:
          'New on the bar: a washed single origin from Guji with notes of bergamot and apricot. Ask for it as a filter, ' +
          'or take a bag home.',
      },
    },
    {
      business: 'coffee',
      language: 'en',
      picture: 'cupping-table.jpg',
      input: {
        type: 'EVENT',
        directories,
        title: 'Cupping evening',
        description: 'Taste six coffees side by side with our roasters. Free, twelve places.',
        publicationDate: inDays(2),
        dateStart: inDays(9),
        dateEnd: inDays(9, 2),
      },
    },
    {
      business: 'fitness',
      language: 'en',
      picture: 'free-weights.jpg',
      input: {
        type: 'POST',
        directories,
        description:
          'The new free weight area is open: four racks, two platforms and more room between them. See you there!',
      },
    },
    {
      business: 'fitness',
      language: 'en',
      picture: 'open-day.jpg',
      input: {
        type: 'EVENT',
        directories,
        title: 'Open day',
        description: 'Train for free all day, bring a friend, and let our coaches show you around.',
        dateStart: inDays(6),
        dateEnd: inDays(6, 10),
      },
    },
  ];
}
