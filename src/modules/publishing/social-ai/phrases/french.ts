import type { Phrases } from '../built-in-phrases.ts';

export const french: Phrases = {
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
  place: 'Retrouvez-nous chez {name} à {city}.',
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
