import type { LanguageTexts } from './language-texts.ts';

export const dutch: LanguageTexts = {
  firstNames: ['Sanne', 'Daan', 'Femke', 'Bram', 'Anouk', 'Thijs', 'Marieke', 'Youssef', 'Lotte', 'Ruben'],
  lastNames: ['de Vries', 'Bakker', 'van Dijk', 'Smit', 'Visser', 'Mulder', 'Hendriks', 'Kok', 'van Leeuwen'],
  opening: {
    bad: [
      'Erg teleurgesteld.',
      'Ik had er meer van verwacht.',
      'Eens maar nooit weer.',
      'Vroeger was het beter.',
      'De reis niet waard.',
    ],
    mixed: [
      'Gemengde gevoelens.',
      'Prima, maar niet meer dan dat.',
      'Deels goed, deels niet.',
      'Niet slecht, niet bijzonder.',
    ],
    good: [
      'Echt een aanrader!',
      'Wat een vondst.',
      'Stelt nooit teleur.',
      'Precies wat ik zocht.',
      'We komen hier graag terug.',
      'Heel vriendelijke mensen.',
    ],
  },
  about: {
    food: {
      good: [
        'Het eten was vers en vol smaak.',
        'Ruime porties voor een eerlijke prijs.',
        'De ober gaf goed advies.',
        'Alleen de koffie al is een omweg waard.',
      ],
      bad: [
        'Vijftig minuten gewacht en het eten was koud.',
        'Kleine porties voor die prijs.',
        'De tafel plakte en niemand deed er iets aan.',
        'Twee keer de verkeerde bestelling.',
      ],
    },
    lodging: {
      good: [
        'De kamer was brandschoon en stil.',
        'Ontbijt met voor ieder wat wils.',
        'Laat aangekomen en toch zo ingecheckt.',
      ],
      bad: [
        'De muren zijn dun, je hoort alles.',
        'De badkamer was niet goed schoongemaakt.',
        'Er was niemand bij de receptie.',
      ],
    },
    health: {
      good: [
        'Ze nemen de tijd om alles uit te leggen.',
        'Ik kon dezelfde dag terecht.',
        'Rustig, vriendelijk en grondig.',
      ],
      bad: ['Twee uur gewacht ondanks een afspraak.', 'Ik stond zo weer buiten.', 'Telefonisch onbereikbaar.'],
    },
    beauty: {
      good: [
        'Het is precies geworden zoals ik wilde.',
        'Ontspannen sfeer en een vaste hand.',
        'Eerst luisteren, dan adviseren.',
      ],
      bad: [
        'De kleur lijkt niet op wat we hadden afgesproken.',
        'Een half uur te laat begonnen en daarna gehaast.',
        'Het deed pijn en niemand lette erop.',
      ],
    },
    office: {
      good: [
        'Mijn vraag was in één gesprek opgelost.',
        'Helder advies zonder kleine lettertjes.',
        'Ze belden terug zoals beloofd.',
      ],
      bad: [
        'Drie brieven en nog geen antwoord.',
        'De adviseur wilde vooral iets anders verkopen.',
        'Tussen de middag dicht, terwijl de site anders zegt.',
      ],
    },
    car: {
      good: [
        'De auto was een uur eerder klaar.',
        'Ze lieten het versleten onderdeel zien.',
        'Eerlijke prijs en nog gewassen ook.',
      ],
      bad: [
        'De rekening was het dubbele van de offerte.',
        'Na twee dagen was het geluid terug.',
        'Een week zonder auto en zonder bericht.',
      ],
    },
    shop: {
      good: [
        'Veel keus en personeel dat er verstand van heeft.',
        'Mijn maat werd gratis besteld.',
        'Ruilen was geen enkel probleem.',
      ],
      bad: [
        'De helft van de schappen was leeg.',
        'Niemand te vinden om te helpen.',
        'Een kapot artikel werd niet teruggenomen.',
      ],
    },
  },
  closing: {
    bad: ['Ik kom niet meer terug.', 'Ga liever ergens anders heen.', 'Jammer.'],
    mixed: ['Misschien probeer ik het nog eens.', 'Kan beter.', 'Prima als je in de buurt bent.'],
    good: ['Tot snel!', 'Vijf sterren van het hele gezin.', 'Ga zo door.', 'Bedankt voor de fijne dag.'],
  },
  secondThoughts: [
    'Update: de eigenaar belde en heeft het opgelost.',
    'Update: vorige week weer geweest, weer hetzelfde.',
  ],
  questions: [
    'Is er parkeergelegenheid in de buurt?',
    'Zijn honden toegestaan?',
    'Zijn jullie open op feestdagen?',
    'Kan ik met kaart betalen?',
  ],
  messages: [
    'Hallo, is er vrijdagmiddag nog plek?',
    'Goedemiddag, gisteren heb ik mijn paraplu laten liggen. Is die gevonden?',
  ],
  comments: [
    'Ziet er goed uit!',
    'Vandaag langs gelopen, prachtig.',
    'Wanneer is het volgende evenement?',
    'Altijd een goed idee.',
  ],
  captions: ['De ingang in de ochtend', 'Uitzicht vanaf onze tafel', 'Net verbouwd'],
  thanks: ['Bedankt voor uw aardige woorden, tot de volgende keer!', 'Daar wordt het hele team blij van. Dank u!'],
  apologies: [
    'Het spijt ons dat het niet ging zoals het hoort. Schrijf ons, dan lossen we het op.',
    'Dank voor de melding. We hebben het met het team besproken.',
  ],
  customerReplies: ['Bedankt voor de reactie.', 'Goed, ik kom nog eens langs.'],
};
