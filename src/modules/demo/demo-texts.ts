import type { DemoCity } from './demo-address.ts';
import type { BusinessKey } from './demo-business.ts';

type Language = DemoCity['language'];

export interface DemoTexts {
  /** With the placeholders {street} and {city}. */
  short: readonly string[];
  long: readonly string[];
  keywords: readonly string[];
  /** Titles, in the order of `servicePrices`. */
  services: readonly string[];
  hoursNote: string;
}

export function textsOf(key: BusinessKey, language: Language): DemoTexts {
  const texts = wording[key][language];
  if (!texts) throw new Error(`The ${key} has no texts in ${language}.`);
  return texts;
}

/** In minor units of the country's currency. */
export const servicePrices: Record<BusinessKey, readonly number[]> = {
  bakery: [420, 350, 1290, 690],
  coffee: [380, 1450, 2900, 650],
  fitness: [0, 2500, 4900, 1900],
};

const wording: Record<BusinessKey, Partial<Record<Language, DemoTexts>>> = {
  bakery: {
    de: {
      short: [
        'Brot aus Natursauerteig, Kuchen und Frühstück in der {street}.',
        'Ihre Bäckerei in {city}: jeden Morgen frisch aus dem Steinofen.',
      ],
      long: [
        'In der {street} in {city} backen wir vom frühen Morgen an: Roggenbrot aus eigenem Sauerteig, Dinkelbrötchen, ' +
          'Plunder und Obstkuchen nach der Jahreszeit. Unser Mehl kommt von Mühlen aus der Region, der Teig ruht über ' +
          'Nacht. Dazu gibt es Kaffee, belegte Brote und am Wochenende ein kleines Frühstück.',
        'Bäckerei Morgenkorn in {city}: Handwerk, das man schmeckt. Wir backen ohne Backmischungen, mit langer ' +
          'Teigführung und wenig Hefe. In der {street} finden Sie unser ganzes Sortiment, täglich wechselnde Brote ' +
          'und Torten auf Bestellung.',
      ],
      keywords: ['Bäckerei', 'Sauerteigbrot', 'Brötchen', 'Frühstück', 'Kuchen', 'Kaffee zum Mitnehmen', 'Dinkelbrot'],
      services: ['Roggenbrot 750 g', 'Brötchentüte', 'Frühstück für eine Person', 'Torte, das Stück'],
      hoursNote: 'An Feiertagen backen wir nur auf Vorbestellung.',
    },
    fr: {
      short: [
        'Pain au levain, gâteaux et petit-déjeuner, {street}.',
        'Votre boulangerie à {city} : chaque matin du pain sorti du four à pierre.',
      ],
      long: [
        'Au cœur de {city}, {street}, nous pétrissons dès l’aube : pain de seigle au levain, petits pains d’épeautre, ' +
          'viennoiseries et tartes aux fruits de saison. La farine vient de moulins de la région et la pâte repose ' +
          'toute la nuit. Le café et les sandwichs sont préparés sur place.',
      ],
      keywords: ['boulangerie', 'pain au levain', 'petit-déjeuner', 'pâtisserie', 'café à emporter'],
      services: [
        'Pain de seigle 750 g',
        'Sachet de petits pains',
        'Petit-déjeuner pour une personne',
        'Part de gâteau',
      ],
      hoursNote: 'Les jours fériés, uniquement sur commande.',
    },
  },
  coffee: {
    en: {
      short: [
        'Small-batch coffee roasted in Bristol and brewed on {street}.',
        'Speciality coffee, fresh cakes and beans to take home in {city}.',
      ],
      long: [
        'Kettle & Quay roasts single-origin coffee in small batches and pours it on {street}, {city}. Espresso, ' +
          'filter and cold brew change with the season, the milk comes from a farm nearby, and there is always a ' +
          'vegan cake on the counter. Bring your laptop, bring your dog, or take a bag of beans home.',
        'A coffee bar for people who like to know where their cup comes from. Our baristas on {street} in {city} ' +
          'weigh every shot, run tastings on the first Thursday of the month and grind beans the way you brew at home.',
      ],
      keywords: [
        'coffee shop',
        'speciality coffee',
        'flat white',
        'coffee beans',
        'brunch',
        'vegan cake',
        'espresso bar',
      ],
      services: ['Flat white', 'House espresso beans 250 g', 'Cupping class', 'Avocado toast'],
      hoursNote: 'The kitchen closes an hour before the bar.',
    },
    fr: {
      short: [
        'Cafés de spécialité torréfiés en petites quantités, {street}.',
        'Espresso, filtre et pâtisseries maison au cœur de {city}.',
      ],
      long: [
        'Kettle & Quay torréfie ses cafés par petits lots et les sert {street}, à {city}. Espresso, filtre et cold ' +
          'brew changent avec les saisons, le lait vient d’une ferme voisine et il y a toujours un gâteau végan au ' +
          'comptoir. On peut y travailler, y venir avec son chien, ou emporter un paquet de grains.',
      ],
      keywords: ['café de spécialité', 'torréfacteur', 'brunch', 'café en grains', 'espresso', 'salon de thé'],
      services: ['Flat white', 'Café en grains 250 g', 'Atelier dégustation', 'Tartine à l’avocat'],
      hoursNote: 'La cuisine ferme une heure avant le bar.',
    },
  },
  fitness: {
    en: {
      short: [
        'Gym, classes and personal training on {street}.',
        'Your club in {city}: strength, cardio, sauna and 40 classes a week.',
      ],
      long: [
        'Velamonte on {street} is a full-size club in {city}: free weights, racks, a cardio floor, a studio for yoga ' +
          'and cycling, and a sauna to finish with. Every membership starts with a session with a trainer who writes ' +
          'your first plan. No joining fee, cancel monthly.',
      ],
      keywords: ['gym', 'fitness club', 'personal trainer', 'yoga classes', 'sauna', 'weight training', 'spin class'],
      services: ['Trial session', 'Day pass', 'Monthly membership', 'Personal training, 30 minutes'],
      hoursNote: 'The front desk is staffed until 9 p.m.',
    },
    es: {
      short: [
        'Gimnasio, clases dirigidas y entrenador personal en {street}.',
        'Tu club en {city}: fuerza, cardio, sauna y 40 clases por semana.',
      ],
      long: [
        'Velamonte, en {street}, es un club completo en {city}: peso libre, zona de cardio, sala de yoga y ciclo, y ' +
          'una sauna para terminar. Cada abono empieza con una sesión con un entrenador que prepara tu primer plan. ' +
          'Sin matrícula ni permanencia.',
      ],
      keywords: ['gimnasio', 'clases dirigidas', 'entrenador personal', 'yoga', 'sauna', 'musculación', 'ciclo indoor'],
      services: ['Sesión de prueba', 'Entrada de un día', 'Abono mensual', 'Entrenamiento personal, 30 minutos'],
      hoursNote: 'La recepción atiende hasta las 21:00.',
    },
    it: {
      short: [
        'Palestra, corsi e personal trainer in {street}.',
        'Il tuo club a {city}: pesi, cardio, sauna e 40 corsi a settimana.',
      ],
      long: [
        'Velamonte, in {street}, è un club completo a {city}: pesi liberi, area cardio, sala per yoga e ciclismo ' +
          'indoor, e una sauna per finire. Ogni abbonamento comincia con una seduta insieme a un istruttore che ' +
          'prepara il primo programma. Nessuna quota d’iscrizione, disdetta ogni mese.',
      ],
      keywords: ['palestra', 'corsi fitness', 'personal trainer', 'yoga', 'sauna', 'pesi', 'spinning'],
      services: ['Lezione di prova', 'Ingresso giornaliero', 'Abbonamento mensile', 'Personal training, 30 minuti'],
      hoursNote: 'La reception è aperta fino alle 21.',
    },
  },
};
