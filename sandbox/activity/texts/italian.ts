import type { LanguageTexts } from './language-texts.ts';

export const italian: LanguageTexts = {
  firstNames: ['Giulia', 'Marco', 'Chiara', 'Davide', 'Federica', 'Luca', 'Paola', 'Simone', 'Ilaria', 'Enzo'],
  lastNames: ['Rossi', 'Ferrari', 'Colombo', 'Gallo', 'Rizzo', 'Fontana', 'Marini', 'Conti', 'Leone'],
  opening: {
    bad: [
      'Davvero deludente.',
      'Mi aspettavo di più.',
      'Prima e ultima volta.',
      'Una volta era meglio.',
      'Non vale il viaggio.',
    ],
    mixed: ['Esperienza così così.', 'Nella media.', 'Luci e ombre.', 'Né bene né male.'],
    good: [
      'Consigliatissimo!',
      'Una bella scoperta.',
      'Non delude mai.',
      'Proprio quello che cercavo.',
      'Ci torniamo sempre volentieri.',
      'Personale gentilissimo.',
    ],
  },
  about: {
    food: {
      good: [
        'Piatti freschi e pieni di sapore.',
        'Porzioni abbondanti e prezzi onesti.',
        'Il cameriere ci ha consigliato benissimo.',
        'Anche solo per il caffè vale la pena.',
      ],
      bad: [
        'Cinquanta minuti di attesa e il piatto era freddo.',
        'Porzioni piccole per il prezzo.',
        'Il tavolo era appiccicoso.',
        'Hanno sbagliato l’ordine due volte.',
      ],
    },
    lodging: {
      good: [
        'Camera pulitissima e silenziosa.',
        'Colazione ricca e varia.',
        'Arrivati tardi, in due minuti avevamo la chiave.',
      ],
      bad: ['Pareti sottili, si sente tutto.', 'Il bagno non era pulito.', 'Alla reception non c’era nessuno.'],
    },
    health: {
      good: ['Si prendono il tempo di spiegare tutto.', 'Appuntamento il giorno stesso.', 'Gentili e scrupolosi.'],
      bad: ['Due ore di attesa con appuntamento.', 'Visita frettolosa.', 'Al telefono non risponde mai nessuno.'],
    },
    beauty: {
      good: [
        'Il taglio è esattamente quello che volevo.',
        'Ambiente rilassato e mano sicura.',
        'Prima ascoltano, poi consigliano.',
      ],
      bad: [
        'Il colore non c’entra nulla con quello concordato.',
        'Mezz’ora di ritardo e poi tutto di corsa.',
        'Mi hanno fatto male.',
      ],
    },
    office: {
      good: [
        'Problema risolto in un solo incontro.',
        'Consigli chiari, senza clausole nascoste.',
        'Mi hanno richiamato come promesso.',
      ],
      bad: [
        'Tre lettere e nessuna risposta.',
        'Il consulente voleva vendermi altro.',
        'Chiuso a pranzo, ma sul sito c’è scritto aperto.',
      ],
    },
    car: {
      good: [
        'Auto pronta con un’ora di anticipo.',
        'Mi hanno mostrato il pezzo usurato.',
        'Prezzo giusto e auto lavata.',
      ],
      bad: [
        'Il conto era il doppio del preventivo.',
        'Dopo due giorni il rumore era tornato.',
        'Una settimana di fermo senza notizie.',
      ],
    },
    shop: {
      good: [
        'Ampia scelta e personale competente.',
        'Hanno ordinato la mia taglia senza costi.',
        'Cambio senza problemi.',
      ],
      bad: ['Metà degli scaffali era vuota.', 'Nessuno a cui chiedere.', 'Non hanno ripreso un articolo rotto.'],
    },
  },
  closing: {
    bad: ['Non tornerò.', 'Meglio altrove.', 'Peccato.'],
    mixed: ['Forse riproverò.', 'Si può migliorare.', 'Comodo se si è in zona.'],
    good: ['A presto!', 'Cinque stelle da tutta la famiglia.', 'Continuate così.', 'Grazie di tutto.'],
  },
  secondThoughts: [
    'Aggiornamento: il titolare mi ha chiamato e ha risolto.',
    'Aggiornamento: tornato la settimana scorsa, tutto uguale.',
  ],
  questions: [
    'C’è un parcheggio vicino?',
    'I cani sono ammessi?',
    'Siete aperti nei giorni festivi?',
    'Si può pagare con la carta?',
  ],
  messages: [
    'Buongiorno, avete posto venerdì pomeriggio?',
    'Salve, ieri ho dimenticato l’ombrello da voi. L’avete trovato?',
  ],
  comments: ['Che bello!', 'Passata oggi, splendido.', 'Quando il prossimo evento?', 'Sempre una buona idea.'],
  captions: ['L’ingresso al mattino', 'La vista dal nostro tavolo', 'Appena rinnovato'],
  thanks: ['Grazie mille per le belle parole, a presto!', 'Ci fa molto piacere, grazie!'],
  apologies: [
    'Ci dispiace che non sia andata come doveva. Ci scriva, così possiamo rimediare.',
    'Grazie della segnalazione. Ne abbiamo parlato con la squadra.',
  ],
  customerReplies: ['Grazie della risposta.', 'Va bene, ripasserò.'],
};
