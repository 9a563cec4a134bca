import type { Phrases } from '../built-in-phrases.ts';

export const spanish: Phrases = {
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
  place: 'Aquí estamos: {name}, {city}.',
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
