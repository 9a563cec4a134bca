import type { LanguageTexts } from './language-texts.ts';

export const polish: LanguageTexts = {
  firstNames: ['Agnieszka', 'Piotr', 'Katarzyna', 'Michał', 'Zofia', 'Tomasz', 'Ewa', 'Łukasz', 'Magda', 'Jakub'],
  lastNames: ['Nowak', 'Wójcik', 'Kamińska', 'Zieliński', 'Szymańska', 'Dąbrowski', 'Mazur', 'Król', 'Pawlak'],
  opening: {
    bad: [
      'Duże rozczarowanie.',
      'Spodziewałam się czegoś więcej.',
      'Pierwszy i ostatni raz.',
      'Kiedyś było lepiej.',
      'Nie warto.',
    ],
    mixed: ['Mieszane uczucia.', 'W porządku, nic więcej.', 'Są plusy i minusy.', 'Ani dobrze, ani źle.'],
    good: [
      'Gorąco polecam!',
      'Prawdziwe odkrycie.',
      'Nigdy się nie zawiodłem.',
      'Dokładnie to, czego szukałem.',
      'Zawsze chętnie wracamy.',
      'Przemiła obsługa.',
    ],
  },
  about: {
    food: {
      good: [
        'Jedzenie świeże i pełne smaku.',
        'Duże porcje i uczciwe ceny.',
        'Kelner świetnie nam doradził.',
        'Dla samej kawy warto przyjść.',
      ],
      bad: [
        'Czekaliśmy pięćdziesiąt minut, a jedzenie było zimne.',
        'Małe porcje jak na tę cenę.',
        'Stolik się kleił i nikt go nie wytarł.',
        'Dwa razy pomylono zamówienie.',
      ],
    },
    lodging: {
      good: ['Pokój czysty i cichy.', 'Śniadanie bogate i smaczne.', 'Późny przyjazd, a klucz po dwóch minutach.'],
      bad: ['Cienkie ściany, wszystko słychać.', 'Łazienka nie była posprzątana.', 'W recepcji nikogo nie było.'],
    },
    health: {
      good: ['Spokojnie wszystko wyjaśniają.', 'Termin jeszcze tego samego dnia.', 'Życzliwie i dokładnie.'],
      bad: ['Dwie godziny czekania mimo umówionej wizyty.', 'Wizyta w pośpiechu.', 'Nie można się dodzwonić.'],
    },
    beauty: {
      good: [
        'Fryzura dokładnie taka, jak chciałam.',
        'Miła atmosfera i pewna ręka.',
        'Najpierw słuchają, potem doradzają.',
      ],
      bad: [
        'Kolor zupełnie inny niż ustaliłyśmy.',
        'Pół godziny spóźnienia, a potem pośpiech.',
        'Bolało i nikogo to nie obeszło.',
      ],
    },
    office: {
      good: [
        'Sprawa załatwiona podczas jednej wizyty.',
        'Jasne porady bez drobnego druku.',
        'Oddzwonili, tak jak obiecali.',
      ],
      bad: [
        'Trzy pisma i żadnej odpowiedzi.',
        'Doradca chciał sprzedać coś innego.',
        'W południe zamknięte, choć na stronie jest inaczej.',
      ],
    },
    car: {
      good: [
        'Auto gotowe godzinę przed czasem.',
        'Pokazali mi zużytą część.',
        'Uczciwa cena i jeszcze umyli samochód.',
      ],
      bad: [
        'Rachunek dwa razy wyższy niż wycena.',
        'Po dwóch dniach hałas wrócił.',
        'Tydzień bez auta i bez wiadomości.',
      ],
    },
    shop: {
      good: ['Duży wybór i obsługa, która się zna.', 'Zamówili mój rozmiar bez dopłaty.', 'Wymiana bez problemu.'],
      bad: ['Połowa półek była pusta.', 'Nie ma kogo zapytać.', 'Nie przyjęli zwrotu uszkodzonego towaru.'],
    },
  },
  closing: {
    bad: ['Więcej nie wrócę.', 'Lepiej iść gdzie indziej.', 'Szkoda.'],
    mixed: ['Może spróbuję jeszcze raz.', 'Można to poprawić.', 'Dobrze, jeśli jest po drodze.'],
    good: ['Do zobaczenia!', 'Pięć gwiazdek od całej rodziny.', 'Tak trzymać.', 'Dziękujemy za miły dzień.'],
  },
  secondThoughts: [
    'Aktualizacja: kierownik zadzwonił i wszystko wyjaśnił.',
    'Aktualizacja: byłem znowu w zeszłym tygodniu, to samo.',
  ],
  questions: [
    'Czy w pobliżu jest parking?',
    'Czy można przyjść z psem?',
    'Czy jest otwarte w święta?',
    'Czy można płacić kartą?',
  ],
  messages: [
    'Dzień dobry, czy jest wolne miejsce w piątek po południu?',
    'Dzień dobry, wczoraj zostawiłam u Państwa parasol. Czy się znalazł?',
  ],
  comments: ['Wygląda świetnie!', 'Byłam dzisiaj obok, pięknie.', 'Kiedy następne wydarzenie?', 'Zawsze dobry pomysł.'],
  captions: ['Wejście o poranku', 'Widok z naszego stolika', 'Po remoncie'],
  thanks: ['Dziękujemy za miłe słowa i zapraszamy ponownie!', 'Bardzo nas to cieszy, dziękujemy!'],
  apologies: [
    'Przykro nam, że nie było tak, jak powinno. Prosimy o kontakt, chcemy to naprawić.',
    'Dziękujemy za sygnał. Rozmawialiśmy o tym w zespole.',
  ],
  customerReplies: ['Dziękuję za odpowiedź.', 'Dobrze, zajrzę jeszcze raz.'],
};
