import type { Phrases } from '../built-in-phrases.ts';

export const german: Phrases = {
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
  place: 'Hier sind wir zu finden: {name} in {city}.',
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
