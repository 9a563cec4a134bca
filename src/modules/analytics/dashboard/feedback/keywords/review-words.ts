/** Stop words that are relevant topics in reviews. */
export const topics: Readonly<Record<string, readonly string[]>> = {
  en: ['room', 'order', 'bill', 'website', 'computer'],
  de: ['klein'],
};

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Words that are frequent in reviews of any topic, in addition to stop words. */
export const reviewWords: Readonly<Record<string, readonly string[]>> = {
  en: words(`
    disappoint disappointing expected honest honestly time times worth trip rarely write wrote review reviews mixed
    experience bad nice lovely middle highly recommend recommended people ready heart walk minute minutes wrong hour hours
    day days night week weeks month months arrive arrived explain explained left leave hand listened agreed started
    hurried question answer star stars fine nearby told friends trouble definitely absolutely super amazing awesome
    terrible awful horrible worst thing people person guys lot bit suggested answered charge`),
  de: words(`
    enttäuschend enttäuscht erwartet erwartung lohnt lohnen eigentlich schreibe geschrieben bewertung bewertungen raus
    gemischte gefühle toll tolle super empfehlen empfehlung empfehlenswert echter glücksgriff genau gesucht hierher gegend
    abstand wert fünfzig minute minuten gewartet gestört zweimal falsche ließ wünsche hört nimmt erklärt bekommen trotz
    stunde stunden erreichen hand zugehört vorgeschlagen halbe angefangen egal erledigt versprochen offensichtlich
    obwohl fertig vorher gezeigt woche wochen stand wort leute doppelt hälfte braucht woanders hingehen hinsehen stern
    sterne versuche luft weitererzählt mittags spätabends besetzt klare prima schlecht schlechte absolut
    liebe beste besten geworden beraten abgefertigt bestellt zurückgenommen nähe`),
  fr: words(`
    déçu déçue attendais mieux vaut faut détour avis mitigé correct mal recommande recommander vivement belle découverte
    jamais cherchais revient plaisir loin meilleur meilleure minute minutes venir prend temps expliquer jour jours heure
    heures impossible voulais voulait trompés demi-heure écoutée prévu soucié réglée rappelé promis chose midi contraire
    avance montré double bout semaine semaines moitié connaissent retournerai chemin dommage étoile étoiles déjà revoir
    peut-être faire côté vite continuez moment super nul horrible quartier conseillés gestes`),
  es: words(`
    decepcionante esperaba merece pena escribo reseña reseñas decirlo opinión dividida correcto malas mala malo recomendable
    recomiendo descubrimiento falla justo buscaba volvemos zona vale esperamos cincuenta minuto minutos equivocaron toman
    espera hora horas mano escuchan empezaron importó resolvieron cosa contrario listo enseñaron doble volvió semana
    semanas gente mitad volveré buscar sitio estrella estrellas oportunidad seguid gracias oye quería
    super horrible aconsejan aconsejó mediodía prisas`),
  it: words(`
    davvero deludente delude aspettavo viaggio esperienza media luci ombre consigliatissimo consiglio consigliano bella
    bello scoperta cercavo torniamo volentieri pena cinquanta minuto minuti sbagliato arrivati tardi sente prendono
    spiegare esattamente volevo voleva mano sicura ascoltano entra concordato corsa risolto incontro nascoste richiamato
    scritto pronta mostrato giusto tornato settimana settimane fermo notizie metà tornerò riproverò migliorare comodo
    zona presto stella stelle continuate pessimo super`),
  nl: words(`
    teleurgesteld verwacht vroeger beter reis waard gemengde gevoelens prima deels goed goede bijzonder echt echte aanrader
    vondst stelt teleur zocht komen graag terug mensen gaf omweg minuut minuten gewacht keer verkeerde laat aangekomen
    hoort tijd leggen dezelfde dag dagen terecht uur stond geworden hand half begonnen lette erop vraag één opgelost
    beloofd zegt lieten zien dubbele week weken helft vinden kom heen jammer probeer buurt snel ster sterren hele bedankt
    fijne slecht slechte super luisteren wils`),
  pl: words(`
    rozczarowanie spodziewałam czegoś pierwszy ostatni kiedyś lepiej warto mieszane uczucia porządku plusy minusy źle
    gorąco polecam prawdziwe odkrycie zawiodłem dokładnie czego szukałem chętnie wracamy pełne świetnie samej przyjść
    czekaliśmy pięćdziesiąt minut nikt razy pomylono późny dwóch minutach nikogo samego dnia godziny umówionej dodzwonić
    chciałam chciał ręka najpierw słuchają potem zupełnie ustaliłyśmy pół załatwiona jednej obiecali trzy żadnej innego
    południe inaczej godzinę pokazali dniach wrócił tydzień duży duże kogo zapytać wrócę iść indziej szkoda spróbuję
    drodze zobaczenia pięć gwiazdek całej trzymać dziękujemy miły dzień słychać obeszło zna połowa część pewna`),
};
