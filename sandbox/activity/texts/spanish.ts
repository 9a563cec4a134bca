import type { LanguageTexts } from './language-texts.ts';

export const spanish: LanguageTexts = {
  firstNames: ['Lucía', 'Javier', 'Marta', 'Álvaro', 'Carmen', 'Sergio', 'Nuria', 'Pablo', 'Itziar', 'Andrés', 'Rosa'],
  lastNames: ['García', 'Navarro', 'Ibáñez', 'Ortega', 'Serrano', 'Vidal', 'Molina', 'Peña', 'Castro'],
  opening: {
    bad: [
      'Muy decepcionante.',
      'Esperaba más.',
      'Primera y última vez.',
      'Antes era mejor.',
      'No merece la pena.',
      'Casi nunca escribo reseñas, pero esto hay que decirlo.',
    ],
    mixed: ['Opinión dividida.', 'Correcto, sin más.', 'Tiene cosas buenas y malas.', 'Ni bien ni mal.'],
    good: [
      '¡Muy recomendable!',
      'Todo un descubrimiento.',
      'Nunca falla.',
      'Justo lo que buscaba.',
      'Siempre volvemos.',
      'Un equipo encantador.',
      'Con diferencia lo mejor de la zona.',
    ],
  },
  about: {
    food: {
      good: [
        'La comida estaba fresca y llena de sabor.',
        'Raciones generosas y buen precio.',
        'El camarero nos aconsejó de maravilla.',
        'Solo por el café ya vale la pena.',
      ],
      bad: [
        'Esperamos cincuenta minutos y la comida llegó fría.',
        'Raciones pequeñas para lo que cobran.',
        'La mesa estaba pegajosa y nadie la limpió.',
        'Se equivocaron dos veces con el pedido.',
      ],
    },
    lodging: {
      good: [
        'La habitación estaba impecable y era tranquila.',
        'El desayuno tenía de todo.',
        'Llegamos tarde y en dos minutos teníamos la llave.',
      ],
      bad: ['Las paredes son finas y se oye todo.', 'El baño no estaba limpio.', 'No había nadie en recepción.'],
    },
    health: {
      good: [
        'Se toman el tiempo de explicarlo todo.',
        'Me dieron cita para el mismo día.',
        'Trato cercano y profesional.',
      ],
      bad: ['Dos horas de espera con cita.', 'Me atendieron con prisas.', 'Nunca cogen el teléfono.'],
    },
    beauty: {
      good: [
        'El corte es justo el que quería.',
        'Ambiente relajado y buena mano.',
        'Primero escuchan y luego aconsejan.',
      ],
      bad: [
        'El color no tiene nada que ver con lo acordado.',
        'Empezaron media hora tarde y luego con prisas.',
        'Me hicieron daño y a nadie le importó.',
      ],
    },
    office: {
      good: [
        'Resolvieron mi duda en una sola visita.',
        'Consejos claros y sin letra pequeña.',
        'Me llamaron cuando dijeron.',
      ],
      bad: [
        'Tres cartas y ninguna respuesta.',
        'El asesor quería venderme otra cosa.',
        'Cerrado a mediodía aunque la web random lo contrario.',
      ],
    },
    car: {
      good: [
        'El coche estuvo listo una hora antes.',
        'Me enseñaron la pieza gastada antes de cambiarla.',
        'Precio justo y además lo lavaron.',
      ],
      bad: [
        'La factura fue el doble del presupuesto.',
        'A los dos días volvió el ruido.',
        'Una semana sin coche y sin noticias.',
      ],
    },
    shop: {
      good: ['Mucha variedad y gente que sabe.', 'Me pidieron la talla sin coste.', 'El cambio fue facilísimo.'],
      bad: [
        'La mitad de los estantes estaban vacíos.',
        'No había nadie para atender.',
        'No aceptaron la devolución de algo roto.',
      ],
    },
  },
  closing: {
    bad: ['No volveré.', 'Mejor buscar otro sitio.', 'Una pena.', 'Una estrella ya es mucho.'],
    mixed: ['Quizá le dé otra oportunidad.', 'Se puede mejorar.', 'Bien si estás cerca.'],
    good: ['¡Hasta pronto!', 'Cinco estrellas de toda la familia.', 'Seguid así.', 'Gracias por todo.'],
  },
  secondThoughts: [
    'Actualización: me llamó el encargado y lo arreglaron.',
    'Actualización: volví la semana pasada y sigue igual.',
    'Después de su respuesta lo veo algo distinto.',
  ],
  questions: [
    '¿Hay aparcamiento cerca?',
    '¿Se admiten perros?',
    '¿Abren los festivos?',
    '¿El acceso es adaptado?',
    '¿Se puede pagar con tarjeta?',
  ],
  messages: [
    'Hola, ¿les queda sitio el viernes por la tarde?',
    'Buenas, ayer me dejé el paraguas. ¿Lo han encontrado?',
    '¿Sigue en pie la oferta de la web?',
  ],
  comments: [
    '¡Qué bonito!',
    'Hoy he pasado por allí, precioso.',
    '¿Cuándo es el próximo evento?',
    'Siempre buena idea.',
  ],
  captions: ['La entrada por la mañana', 'Vistas desde nuestra mesa', 'Recién reformado', 'De camino a casa'],
  thanks: [
    '¡Muchas gracias por sus palabras, le esperamos pronto!',
    '¡Nos alegra mucho leerlo!',
    'Gracias por tomarse el tiempo de escribir.',
  ],
  apologies: [
    'Sentimos que no fuera como debe ser. Escríbanos para poder solucionarlo.',
    'Gracias por avisarnos. Lo hemos hablado en el equipo.',
  ],
  customerReplies: ['Gracias por responder.', 'De acuerdo, volveré a pasar.', 'No cambia lo que pasó, pero gracias.'],
};
