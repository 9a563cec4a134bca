import type { Phrases } from '../built-in-phrases.ts';

export const dutch: Phrases = {
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
  place: 'Hier zijn we te vinden: {name} in {city}.',
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
