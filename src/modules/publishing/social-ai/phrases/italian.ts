import type { Phrases } from '../built-in-phrases.ts';

export const italian: Phrases = {
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
  place: 'Ci trovate da {name} a {city}.',
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
