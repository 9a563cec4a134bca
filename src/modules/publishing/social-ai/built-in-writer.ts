import { trimEndOf } from '../../../text.ts';
import type { Length, LocationFacts, TextSpec, Tone, Writer } from './content-request.ts';

const defaultLanguage = 'en';

const emoji: Record<Tone, readonly [string, string]> = {
  FRIENDLY: ['😊', '👋'],
  PROFESSIONAL: ['✅', '📍'],
  FUNNY: ['😄', '😉'],
  ENTHUSIASTIC: ['🎉', '🤩'],
  INFORMATIVE: ['💡', '📌'],
};

/** Number of sentences about the location between opener and closer. */
const bodySentences: Record<Length, number> = { SHORT: 1, MEDIUM: 3, LONG: 6 };

/** Writes from templates. */
export const builtInWriter: Writer = {
  source: 'BUILT_IN',
  write: async (spec) => ({ kind: 'written', text: composePost(spec, Math.random) }),
};

/** `random` returns numbers from 0 to 1. */
export function composePost(spec: TextSpec, random: () => number): string {
  const { tone, variant, length } = spec;
  const known = phrasesOf(spec.language);
  const phrases = known ?? (phrasesOf(defaultLanguage) as Phrases);
  const values = placeholderValues(spec, known ? spec.language : defaultLanguage);
  const [first, last] = spec.emoji ? emoji[tone].map((symbol) => ` ${symbol}`) : ['', ''];
  // Variants of one request start with different sentences.
  const opener = fill(phrases.openers[tone][variant % 3] ?? phrases.openers[tone][0], values) as string;
  const closer = phrases.closers[tone][Math.floor(random() * 3) % 3];
  const { location, keywords, category, services, open, website } = phrases;
  const body = [location, keywords, category, services, open, website]
    .flatMap((phrase) => fill(phrase, values) ?? [])
    .slice(0, bodySentences[length]);
  return [`${opener}${first}`, ...body, `${closer}${last}`].join(length === 'LONG' ? '\n' : ' ');
}

type PlaceholderValues = Readonly<Record<string, string | undefined>>;

function placeholderValues({ topic, keywords, facts }: TextSpec, language: string): PlaceholderValues {
  const list = (entries: readonly string[]) =>
    entries.length > 0 ? new Intl.ListFormat(language, { type: 'conjunction' }).format(entries) : undefined;
  const line = topic.replace(/\s+/g, ' ').trim();
  return {
    topic: trimEndOf(line, /[\s.!?:;,…]/) || line,
    keywords: list(keywords.map((word) => word.trim())),
    ...(facts && {
      name: facts.name,
      city: facts.city,
      category: list(facts.categories.slice(0, 2)),
      services: list(facts.services.slice(0, 3)),
      website: facts.website,
      ...openingHoursValues(facts.openToday, language),
    }),
  };
}

/** Contains the date, so that the sentence stays true on other days. */
function openingHoursValues(openToday: LocationFacts['openToday'], language: string): PlaceholderValues {
  if (!openToday || openToday.hours === '') return {};
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return { day: day.format(new Date(`${openToday.date}T00:00:00Z`)), hours: openToday.hours };
}

/** Undefined if a placeholder is unknown. Inserted values are not expanded again. */
function fill(phrase: string, values: PlaceholderValues): string | undefined {
  const names = [...phrase.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.some((name) => !values[name])) return undefined;
  const text = phrase.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Templates of the built-in writer in one language. A sentence is used only if all of its placeholders are known.
 * Topics are placed where they need no inflection.
 */
interface Phrases {
  /** With {topic}. Three each, so that variants differ. */
  openers: Record<Tone, readonly [string, string, string]>;
  /** With {name}, {city}. */
  location: string;
  /** With {category}. */
  category: string;
  /** With {services}. */
  services: string;
  /** With {keywords}. */
  keywords: string;
  /** With {day}, {hours}. */
  open: string;
  /** With {website}. */
  website: string;
  closers: Record<Tone, readonly [string, string, string]>;
}

const english: Phrases = {
  openers: {
    FRIENDLY: ['{topic}: come by and see for yourself!', 'We have something for you: {topic}.', 'Good news: {topic}!'],
    PROFESSIONAL: ['Our topic today: {topic}.', 'We are pleased to present: {topic}.', 'New with us: {topic}.'],
    FUNNY: [
      '{topic}: yes, you read that right!',
      'Stop scrolling for a moment: {topic}!',
      'Do not say we did not tell you: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: we can hardly wait!', 'The time has come: {topic}!', 'What a day: {topic}!'],
    INFORMATIVE: ['{topic}: this is what you should know.', 'In brief: {topic}.', 'For your information: {topic}.'],
  },
  location: 'You find us at {name} in {city}.',
  category: 'We are here for you: {category}.',
  services: 'Among our services: {services}.',
  keywords: 'All about {keywords}.',
  open: 'Open on {day}: {hours}.',
  website: 'More at {website}',
  closers: {
    FRIENDLY: ['We look forward to seeing you!', 'See you soon!', 'Drop in any time!'],
    PROFESSIONAL: ['We are glad to advise you.', 'Please get in touch with us.', 'We are at your service.'],
    FUNNY: ['First come, first smile!', 'We will keep a good mood ready for you!', 'Resistance is useless!'],
    ENTHUSIASTIC: ['Do not miss it!', 'Be there!', 'Come and enjoy it with us!'],
    INFORMATIVE: ['Ask us if you would like to know more.', 'We gladly answer your questions.', 'Our team knows more.'],
  },
};

const german: Phrases = {
  openers: {
    FRIENDLY: [
      '{topic}: Kommt vorbei und überzeugt euch selbst!',
      'Wir haben etwas für euch: {topic}.',
      'Gute Nachricht: {topic}!',
    ],
    PROFESSIONAL: ['Unser Thema heute: {topic}.', 'Wir stellen Ihnen vor: {topic}.', 'Neu bei uns: {topic}.'],
    FUNNY: [
      '{topic}: Ja, ihr habt richtig gelesen!',
      'Kurz aufhören zu scrollen: {topic}!',
      'Sagt nicht, wir hätten es euch nicht erzählt: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: Wir können es kaum erwarten!', 'Es ist so weit: {topic}!', 'Was für ein Tag: {topic}!'],
    INFORMATIVE: ['{topic}: Das sollten Sie wissen.', 'Kurz gesagt: {topic}.', 'Zur Information: {topic}.'],
  },
  location: 'Hier sind wir zu finden: {name} in {city}.',
  category: 'Das sind wir: {category}.',
  services: 'Zu unserem Angebot gehören: {services}.',
  keywords: 'Alles rund um {keywords}.',
  open: 'Geöffnet am {day}: {hours}.',
  website: 'Mehr dazu: {website}',
  closers: {
    FRIENDLY: ['Wir freuen uns auf euch!', 'Bis bald!', 'Schaut jederzeit herein!'],
    PROFESSIONAL: ['Wir beraten Sie gern.', 'Sprechen Sie uns gern an.', 'Wir sind für Sie da.'],
    FUNNY: ['Wer zuerst kommt, lacht zuerst!', 'Gute Laune liegt bereit!', 'Widerstand ist zwecklos!'],
    ENTHUSIASTIC: ['Das dürft ihr nicht verpassen!', 'Seid dabei!', 'Kommt und feiert mit uns!'],
    INFORMATIVE: [
      'Fragen Sie uns, wenn Sie mehr wissen möchten.',
      'Ihre Fragen beantworten wir gern.',
      'Unser Team weiß mehr.',
    ],
  },
};

const french: Phrases = {
  openers: {
    FRIENDLY: [
      '{topic} : venez voir par vous-même !',
      'Nous avons quelque chose pour vous : {topic}.',
      'Bonne nouvelle : {topic} !',
    ],
    PROFESSIONAL: [
      'Notre sujet du jour : {topic}.',
      'Nous avons le plaisir de vous présenter : {topic}.',
      'Nouveau chez nous : {topic}.',
    ],
    FUNNY: [
      '{topic} : oui, vous avez bien lu !',
      'Arrêtez de faire défiler un instant : {topic} !',
      'Vous ne pourrez pas dire que nous ne vous avons rien dit : {topic} !',
    ],
    ENTHUSIASTIC: ['{topic} : nous avons hâte !', 'Le moment est venu : {topic} !', 'Quelle journée : {topic} !'],
    INFORMATIVE: ['{topic} : voici ce qu’il faut savoir.', 'En bref : {topic}.', 'Pour votre information : {topic}.'],
  },
  location: 'Retrouvez-nous chez {name} à {city}.',
  category: 'À votre service : {category}.',
  services: 'Parmi nos services : {services}.',
  keywords: 'Tout sur : {keywords}.',
  open: 'Ouvert {day} : {hours}.',
  website: 'En savoir plus : {website}',
  closers: {
    FRIENDLY: ['Au plaisir de vous voir !', 'À bientôt !', 'Passez quand vous voulez !'],
    PROFESSIONAL: [
      'Nous vous conseillons volontiers.',
      'N’hésitez pas à nous contacter.',
      'Nous sommes à votre disposition.',
    ],
    FUNNY: ['Premier arrivé, premier sourire !', 'La bonne humeur vous attend !', 'Inutile de résister !'],
    ENTHUSIASTIC: ['À ne pas manquer !', 'Soyez au rendez-vous !', 'Venez en profiter avec nous !'],
    INFORMATIVE: [
      'Demandez-nous si vous voulez en savoir plus.',
      'Nous répondons volontiers à vos questions.',
      'Notre équipe vous en dira plus.',
    ],
  },
};

const spanish: Phrases = {
  openers: {
    FRIENDLY: ['{topic}: ¡ven a comprobarlo!', 'Tenemos algo para ti: {topic}.', '¡Buenas noticias: {topic}!'],
    PROFESSIONAL: [
      'Nuestro tema de hoy: {topic}.',
      'Nos complace presentarle: {topic}.',
      'Nuevo con nosotros: {topic}.',
    ],
    FUNNY: [
      '{topic}: ¡sí, has leído bien!',
      '¡Deja de deslizar un momento: {topic}!',
      '¡Luego no digas que no te lo contamos: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: ¡qué ganas!', '¡Ha llegado el momento: {topic}!', '¡Qué día: {topic}!'],
    INFORMATIVE: [
      '{topic}: esto es lo que conviene saber.',
      'En pocas palabras: {topic}.',
      'Para su información: {topic}.',
    ],
  },
  location: 'Aquí estamos: {name}, {city}.',
  category: 'Esto es lo nuestro: {category}.',
  services: 'Entre nuestros servicios: {services}.',
  keywords: 'Todo sobre {keywords}.',
  open: 'Abierto el {day}: {hours}.',
  website: 'Más información: {website}',
  closers: {
    FRIENDLY: ['¡Te esperamos!', '¡Hasta pronto!', '¡Pásate cuando quieras!'],
    PROFESSIONAL: ['Le asesoramos con mucho gusto.', 'Póngase en contacto con nosotros.', 'Estamos a su disposición.'],
    FUNNY: ['¡Quien llega primero, sonríe primero!', '¡El buen humor te espera!', '¡Resistirse es inútil!'],
    ENTHUSIASTIC: ['¡No te lo pierdas!', '¡Allí nos vemos!', '¡Ven a disfrutarlo con nosotros!'],
    INFORMATIVE: [
      'Pregúntenos si quiere saber más.',
      'Respondemos con gusto a sus preguntas.',
      'Nuestro equipo sabe más.',
    ],
  },
};

const italian: Phrases = {
  openers: {
    FRIENDLY: ['{topic}: venite a vedere di persona!', 'Abbiamo qualcosa per voi: {topic}.', 'Buone notizie: {topic}!'],
    PROFESSIONAL: [
      'Il nostro tema di oggi: {topic}.',
      'Siamo lieti di presentarvi: {topic}.',
      'Novità da noi: {topic}.',
    ],
    FUNNY: [
      '{topic}: sì, avete letto bene!',
      'Smettete di scorrere per un attimo: {topic}!',
      'Non dite che non ve lo avevamo detto: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: non vediamo l’ora!', 'Il momento è arrivato: {topic}!', 'Che giornata: {topic}!'],
    INFORMATIVE: ['{topic}: ecco che cosa c’è da sapere.', 'In breve: {topic}.', 'Per vostra informazione: {topic}.'],
  },
  location: 'Ci trovate da {name} a {city}.',
  category: 'Al vostro servizio: {category}.',
  services: 'Tra i nostri servizi: {services}.',
  keywords: 'Tutto su {keywords}.',
  open: 'Aperto {day}: {hours}.',
  website: 'Per saperne di più: {website}',
  closers: {
    FRIENDLY: ['Vi aspettiamo!', 'A presto!', 'Passate a trovarci!'],
    PROFESSIONAL: ['Siamo lieti di consigliarvi.', 'Contattateci.', 'Siamo a vostra disposizione.'],
    FUNNY: ['Chi prima arriva, prima sorride!', 'Il buonumore vi aspetta!', 'Resistere è inutile!'],
    ENTHUSIASTIC: ['Da non perdere!', 'Non mancate!', 'Venite a goderlo con noi!'],
    INFORMATIVE: [
      'Chiedeteci se volete saperne di più.',
      'Rispondiamo volentieri alle vostre domande.',
      'Il nostro team sa tutto.',
    ],
  },
};

const dutch: Phrases = {
  openers: {
    FRIENDLY: ['{topic}: kom langs en ontdek het zelf!', 'We hebben iets voor je: {topic}.', 'Goed nieuws: {topic}!'],
    PROFESSIONAL: ['Ons onderwerp vandaag: {topic}.', 'Graag stellen wij u voor: {topic}.', 'Nieuw bij ons: {topic}.'],
    FUNNY: [
      '{topic}: ja, je leest het goed!',
      'Even stoppen met scrollen: {topic}!',
      'Zeg niet dat we het niet verteld hebben: {topic}!',
    ],
    ENTHUSIASTIC: ['{topic}: we kunnen niet wachten!', 'Het is zover: {topic}!', 'Wat een dag: {topic}!'],
    INFORMATIVE: ['{topic}: dit moet u weten.', 'Kort gezegd: {topic}.', 'Ter informatie: {topic}.'],
  },
  location: 'Hier zijn we te vinden: {name} in {city}.',
  category: 'Dit zijn wij: {category}.',
  services: 'Tot ons aanbod behoren: {services}.',
  keywords: 'Alles over {keywords}.',
  open: 'Open op {day}: {hours}.',
  website: 'Meer informatie: {website}',
  closers: {
    FRIENDLY: ['We zien je graag!', 'Tot snel!', 'Loop gerust binnen!'],
    PROFESSIONAL: ['Wij adviseren u graag.', 'Neem gerust contact met ons op.', 'Wij staan voor u klaar.'],
    FUNNY: ['Wie het eerst komt, lacht het eerst!', 'Een goed humeur ligt klaar!', 'Verzet is zinloos!'],
    ENTHUSIASTIC: ['Mis het niet!', 'Wees erbij!', 'Kom en geniet met ons mee!'],
    INFORMATIVE: ['Vraag het ons als u meer wilt weten.', 'Wij beantwoorden uw vragen graag.', 'Ons team weet meer.'],
  },
};

const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
};

export const builtInLanguages: readonly string[] = Object.keys(byLanguage);

/** `de-AT` falls back to `de`. Undefined for unsupported languages. */
export const phrasesOf = (language: string): Phrases | undefined => byLanguage[language.split('-')[0] ?? ''];
