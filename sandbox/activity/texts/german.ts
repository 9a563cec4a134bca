import type { LanguageTexts } from './language-texts.ts';

export const german: LanguageTexts = {
  firstNames: [
    'Anna',
    'Jonas',
    'Katrin',
    'Mehmet',
    'Sabine',
    'Lukas',
    'Friederike',
    'Uwe',
    'Leonie',
    'Stefan',
    'Elif',
    'Jürgen',
  ],
  lastNames: ['Müller', 'Schröder', 'Yılmaz', 'Krüger', 'Bauer', 'Vogel', 'Lang', 'Petersen', 'Weiß', 'Brandt'],
  opening: {
    bad: [
      'Leider sehr enttäuschend.',
      'Ich hatte mehr erwartet.',
      'Einmal und nie wieder.',
      'Früher war es besser.',
      'Der Weg lohnt sich nicht.',
      'Eigentlich schreibe ich keine Bewertungen, aber das muss raus.',
    ],
    mixed: [
      'Gemischte Gefühle.',
      'War in Ordnung, mehr nicht.',
      'Teils, teils.',
      'Nicht schlecht, nicht toll.',
      'Durchschnitt.',
    ],
    good: [
      'Sehr zu empfehlen!',
      'Ein echter Glücksgriff.',
      'Immer wieder gern.',
      'Genau das, was ich gesucht habe.',
      'Wir kommen seit Jahren hierher.',
      'Superfreundliches Team.',
      'Mit Abstand das Beste in der Gegend.',
    ],
  },
  about: {
    food: {
      good: [
        'Das Essen war frisch und mit Liebe gemacht.',
        'Große Portionen zu einem fairen Preis.',
        'Der Kellner hat uns sehr gut beraten.',
        'Allein der Kuchen ist den Weg wert.',
      ],
      bad: [
        'Fünfzig Minuten gewartet, und dann war das Essen kalt.',
        'Kleine Portionen für viel Geld.',
        'Der Tisch klebte, und niemanden hat es gestört.',
        'Zweimal kam die falsche Bestellung.',
      ],
    },
    lodging: {
      good: [
        'Das Zimmer war blitzsauber und ruhig.',
        'Das Frühstück ließ keine Wünsche offen.',
        'Einchecken ging auch spätabends in zwei Minuten.',
      ],
      bad: [
        'Die Wände sind dünn, man hört alles.',
        'Das Bad war nicht richtig geputzt.',
        'Bei der Ankunft war die Rezeption nicht besetzt.',
      ],
    },
    health: {
      good: [
        'Man nimmt sich hier Zeit und erklärt alles.',
        'Ich habe noch am selben Tag einen Termin bekommen.',
        'Ruhig, freundlich und gründlich.',
      ],
      bad: [
        'Trotz Termin zwei Stunden im Wartezimmer.',
        'Ich kam mir abgefertigt vor.',
        'Telefonisch ist nie jemand zu erreichen.',
      ],
    },
    beauty: {
      good: [
        'Der Schnitt ist genau so, wie ich ihn wollte.',
        'Entspannte Stimmung und eine ruhige Hand.',
        'Erst zugehört, dann etwas Besseres vorgeschlagen.',
      ],
      bad: [
        'Die Farbe hat mit der Absprache nichts zu tun.',
        'Eine halbe Stunde zu spät angefangen und dann gehetzt.',
        'Es tat weh, und das war allen egal.',
      ],
    },
    office: {
      good: [
        'Mein Anliegen war in einem Termin erledigt.',
        'Klare Beratung ohne Kleingedrucktes.',
        'Der Rückruf kam, wie versprochen.',
      ],
      bad: [
        'Drei Briefe und immer noch keine Antwort.',
        'Der Berater wollte offensichtlich etwas anderes verkaufen.',
        'Mittags geschlossen, obwohl es im Netz anders steht.',
      ],
    },
    car: {
      good: [
        'Das Auto war eine Stunde früher fertig.',
        'Das verschlissene Teil wurde mir vorher gezeigt.',
        'Fairer Preis, und gewaschen war es auch.',
      ],
      bad: [
        'Die Rechnung war doppelt so hoch wie der Kostenvoranschlag.',
        'Nach zwei Tagen war das Geräusch wieder da.',
        'Eine Woche stand der Wagen dort, ohne ein Wort.',
      ],
    },
    shop: {
      good: [
        'Tolle Auswahl und Leute, die sich auskennen.',
        'Die richtige Größe wurde kostenlos für mich bestellt.',
        'Der Umtausch war überhaupt kein Problem.',
      ],
      bad: [
        'Die Hälfte der Regale war leer.',
        'Wenn man Hilfe braucht, ist niemand da.',
        'Kaputte Ware wurde nicht zurückgenommen.',
      ],
    },
  },
  closing: {
    bad: [
      'Ich komme nicht wieder.',
      'Lieber woanders hingehen.',
      'Da sollte die Leitung einmal hinsehen.',
      'Ein Stern ist noch zu viel.',
    ],
    mixed: ['Vielleicht versuche ich es noch einmal.', 'Da ist Luft nach oben.', 'Wenn man in der Nähe ist, gut.'],
    good: [
      'Bis bald!',
      'Fünf Sterne von der ganzen Familie.',
      'Weiter so.',
      'Danke für den schönen Tag.',
      'Ich habe es schon weitererzählt.',
    ],
  },
  secondThoughts: [
    'Nachtrag: Der Chef hat angerufen und alles geklärt.',
    'Nachtrag: Letzte Woche wieder dort gewesen, wieder dasselbe.',
    'Nach der Antwort sehe ich es etwas anders.',
  ],
  questions: [
    'Gibt es Parkplätze in der Nähe?',
    'Sind Hunde erlaubt?',
    'Haben Sie an Feiertagen geöffnet?',
    'Ist der Eingang barrierefrei?',
    'Kann man mit Karte zahlen?',
  ],
  messages: [
    'Hallo, haben Sie am Freitagnachmittag noch etwas frei?',
    'Guten Tag, ich habe gestern meinen Schirm bei Ihnen liegen lassen. Wurde er gefunden?',
    'Gilt das Angebot von Ihrer Seite noch?',
  ],
  comments: [
    'Sieht super aus!',
    'Heute vorbeigekommen, sehr schön.',
    'Wann ist die nächste Veranstaltung?',
    'Sagt Bescheid, wenn es das wieder gibt!',
    'Immer eine gute Idee.',
  ],
  captions: ['Der Eingang am Morgen', 'Blick von unserem Platz', 'Neu eingerichtet', 'Schnappschuss auf dem Heimweg'],
  thanks: [
    'Vielen Dank für die netten Worte, wir freuen uns auf das nächste Mal!',
    'Das freut das ganze Team. Danke!',
    'Herzlichen Dank, dass Sie sich die Zeit genommen haben.',
  ],
  apologies: [
    'Es tut uns leid, dass es nicht so war, wie es sein soll. Bitte schreiben Sie uns, damit wir es in Ordnung bringen können.',
    'Danke für den Hinweis. Wir haben im Team darüber gesprochen.',
    'So soll es nicht sein. Geben Sie uns bitte eine zweite Chance.',
  ],
  customerReplies: [
    'Danke für die Rückmeldung.',
    'Gut, ich komme noch einmal vorbei.',
    'Das ändert nichts daran, aber danke.',
  ],
};
